/// \file
/// Terms: folding, printing, evaluating. Part of the workload inference.

#include "Term.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"
#include <cmath>

using namespace mep;
using llvm::StringRef;

// ---- making ----------------------------------------------------------------

static TermRef make(Term T) {
  return std::make_shared<const Term>(std::move(T));
}

TermRef mep::integerTerm(int64_t Value) {
  Term T;
  T.Int = Value;
  return make(std::move(T));
}

TermRef mep::floatTerm(double Value) {
  Term T;
  T.What = Term::Floating;
  T.Float = Value;
  T.IsFloat = true;
  return make(std::move(T));
}

TermRef mep::nameTerm(StringRef Name) {
  Term T;
  T.What = Term::Name;
  T.Text = Name.str();
  return make(std::move(T));
}

static TermRef compose(Term::Kind What, StringRef Text,
                       std::vector<TermRef> Parts, bool IsFloat) {
  Term T;
  T.What = What;
  T.Text = Text.str();
  T.Parts = std::move(Parts);
  T.IsFloat = IsFloat;
  return make(std::move(T));
}

static bool isInteger(const TermRef &T, int64_t Value) {
  return T->What == Term::Integer && T->Int == Value;
}

/// The folded constant, when all parts are integer constants.
static TermRef folded(const TermRef &T) {
  for (const TermRef &P : T->Parts)
    if (P->What != Term::Integer)
      return T;
  auto Value = evaluate(T, {});
  return Value && !Value->IsFloat ? integerTerm(Value->Integer) : T;
}

TermRef mep::unaryTerm(StringRef Operator, TermRef Part) {
  if (!Part)
    return nullptr;
  bool IsFloat = Part->IsFloat && Operator != "!";
  if (Part->What == Term::Floating && Operator == "-")
    return floatTerm(-Part->Float);
  return folded(compose(Term::Unary, Operator, {Part}, IsFloat));
}

TermRef mep::binaryTerm(StringRef Operator, TermRef Left, TermRef Right) {
  if (!Left || !Right)
    return nullptr;
  if ((Operator == "*" && isInteger(Right, 1)) ||
      (Operator == "/" && isInteger(Right, 1)) ||
      ((Operator == "+" || Operator == "-") && isInteger(Right, 0)))
    return Left;
  if ((Operator == "*" && isInteger(Left, 1)) ||
      (Operator == "+" && isInteger(Left, 0)))
    return Right;
  bool Logical = llvm::StringSwitch<bool>(Operator)
                     .Cases({"<", ">", "<=", ">="}, true)
                     .Cases({"==", "!=", "&&", "||"}, true)
                     .Default(false);
  bool IsFloat = (Left->IsFloat || Right->IsFloat) && !Logical;
  return folded(compose(Term::Binary, Operator, {Left, Right}, IsFloat));
}

TermRef mep::castTerm(StringRef Type, TermRef Part) {
  if (!Part)
    return nullptr;
  bool ToFloat = Type == "float" || Type == "double";
  if (!ToFloat && !Part->IsFloat)
    return Part;
  if (ToFloat && Part->What == Term::Floating)
    return Type == "float" ? floatTerm(float(Part->Float)) : Part;
  if (!ToFloat && Part->What == Term::Floating && std::fabs(Part->Float) < 9e18)
    return integerTerm(int64_t(Part->Float));
  if (Part->What == Term::Cast && Part->Text == Type)
    return Part;
  return compose(Term::Cast, Type, {Part}, ToFloat);
}

TermRef mep::callTerm(StringRef Function, std::vector<TermRef> Parts) {
  bool IsFloat = !llvm::StringSwitch<bool>(Function)
                      .Cases({"min", "max", "abs"}, true)
                      .Default(false);
  for (const TermRef &P : Parts) {
    if (!P)
      return nullptr;
    IsFloat |= P->IsFloat;
  }
  return folded(compose(Term::Call, Function, std::move(Parts), IsFloat));
}

TermRef mep::conditionalTerm(TermRef If, TermRef Then, TermRef Else) {
  if (!If || !Then || !Else)
    return nullptr;
  if (If->What == Term::Integer)
    return If->Int ? Then : Else;
  return compose(Term::Conditional, "?", {If, Then, Else},
                 Then->IsFloat || Else->IsFloat);
}

// ---- printing --------------------------------------------------------------

static int precedence(const TermRef &T) {
  switch (T->What) {
  case Term::Integer:
    return T->Int < 0 ? 12 : 20;
  case Term::Floating:
    return T->Float < 0 ? 12 : 20;
  case Term::Name:
  case Term::Call:
    return 20;
  case Term::Unary:
  case Term::Cast:
    return 12;
  case Term::Conditional:
    return 0;
  case Term::Binary:
    return llvm::StringSwitch<int>(T->Text)
        .Cases({"*", "/", "%"}, 11)
        .Cases({"+", "-"}, 10)
        .Cases({"<<", ">>"}, 9)
        .Cases({"<", ">", "<=", ">="}, 8)
        .Cases({"==", "!="}, 7)
        .Case("&", 6)
        .Case("^", 5)
        .Case("|", 4)
        .Case("&&", 3)
        .Default(2);
  }
  return 0;
}

static std::string printFloat(double Value) {
  if (std::isnan(Value))
    return "__builtin_nan(\"\")";
  if (std::isinf(Value))
    return Value < 0 ? "-__builtin_inf()" : "__builtin_inf()";
  for (int Digits : {6, 9, 17}) {
    std::string Text;
    llvm::raw_string_ostream OS(Text);
    OS << llvm::format("%.*g", Digits, Value);
    if (std::strtod(Text.c_str(), nullptr) != Value)
      continue;
    return StringRef(Text).find_first_of(".e") == StringRef::npos ? Text + ".0"
                                                                  : Text;
  }
  return "0.0";
}

static std::string printAt(const TermRef &T, int Outer) {
  int Own = precedence(T);
  std::string Text;
  switch (T->What) {
  case Term::Integer:
    Text = std::to_string(T->Int);
    break;
  case Term::Floating:
    Text = printFloat(T->Float);
    break;
  case Term::Name:
    Text = T->Text;
    break;
  case Term::Unary:
    Text = T->Text + printAt(T->Parts[0], Own + 1);
    break;
  case Term::Binary:
    Text = printAt(T->Parts[0], Own) + " " + T->Text + " " +
           printAt(T->Parts[1], Own + 1);
    break;
  case Term::Cast:
    Text = "(" + T->Text + ")" + printAt(T->Parts[0], Own);
    break;
  case Term::Conditional:
    Text = printAt(T->Parts[0], 1) + " ? " + printAt(T->Parts[1], 1) + " : " +
           printAt(T->Parts[2], 0);
    break;
  case Term::Call:
    Text = T->Text + "(";
    for (size_t I = 0; I < T->Parts.size(); ++I)
      Text += (I ? ", " : "") + printAt(T->Parts[I], 0);
    Text += ")";
    break;
  }
  return Own < Outer ? "(" + Text + ")" : Text;
}

std::string mep::print(const TermRef &T) { return T ? printAt(T, 0) : ""; }

// ---- evaluating ------------------------------------------------------------

static ConstantValue integerValue(int64_t V) {
  ConstantValue C;
  C.Integer = V;
  return C;
}

static ConstantValue floatValue(double V) {
  ConstantValue C;
  C.IsFloat = true;
  C.Float = V;
  return C;
}

static std::optional<ConstantValue> integerBinary(StringRef Op, int64_t A,
                                                  int64_t B) {
  int64_t R = 0;
  if (Op == "+"   ? __builtin_add_overflow(A, B, &R)
      : Op == "-" ? __builtin_sub_overflow(A, B, &R)
                  : Op == "*" && __builtin_mul_overflow(A, B, &R))
    return std::nullopt;
  if (Op == "+" || Op == "-" || Op == "*")
    return integerValue(R);
  if (Op == "/" || Op == "%") {
    if (B == 0 || B == -1)
      return std::nullopt;
    return integerValue(Op == "/" ? A / B : A % B);
  }
  if (Op == "<<" || Op == ">>") {
    if (B < 0 || B > 62 || A < 0)
      return std::nullopt;
    return integerValue(Op == "<<" ? int64_t(uint64_t(A) << B) : A >> B);
  }
  if (Op == "&" || Op == "|" || Op == "^")
    return integerValue(Op == "&" ? A & B : Op == "|" ? A | B : A ^ B);
  if (Op == "&&" || Op == "||")
    return integerValue(Op == "&&" ? A && B : A || B);
  return std::nullopt;
}

static std::optional<ConstantValue>
binaryValue(StringRef Op, const ConstantValue &A, const ConstantValue &B) {
  double X = A.asDouble(), Y = B.asDouble();
  bool Floating = A.IsFloat || B.IsFloat;
  if (auto Compared =
          llvm::StringSwitch<std::optional<bool>>(Op)
              .Case("<", Floating ? X < Y : A.Integer < B.Integer)
              .Case(">", Floating ? X > Y : A.Integer > B.Integer)
              .Case("<=", Floating ? X <= Y : A.Integer <= B.Integer)
              .Case(">=", Floating ? X >= Y : A.Integer >= B.Integer)
              .Case("==", Floating ? X == Y : A.Integer == B.Integer)
              .Case("!=", Floating ? X != Y : A.Integer != B.Integer)
              .Default(std::nullopt))
    return integerValue(*Compared);
  if (!Floating)
    return integerBinary(Op, A.Integer, B.Integer);
  return llvm::StringSwitch<std::optional<ConstantValue>>(Op)
      .Case("+", floatValue(X + Y))
      .Case("-", floatValue(X - Y))
      .Case("*", floatValue(X * Y))
      .Case("/", floatValue(X / Y))
      .Default(std::nullopt);
}

static std::optional<ConstantValue>
callValue(StringRef Function, const std::vector<ConstantValue> &Args) {
  if (Function == "min" || Function == "max") {
    if (Args.size() != 2)
      return std::nullopt;
    bool First = Args[0].asDouble() < Args[1].asDouble();
    return Args[First == (Function == "min") ? 0 : 1];
  }
  if (Args.empty())
    return std::nullopt;
  double X = Args[0].asDouble();
  if (Function == "abs" && !Args[0].IsFloat)
    return integerValue(std::llabs(Args[0].Integer));
  if (Function == "pow" && Args.size() == 2)
    return floatValue(std::pow(X, Args[1].asDouble()));
  double (*Known)(double) =
      llvm::StringSwitch<double (*)(double)>(Function)
          .Case("ceil", [](double V) { return std::ceil(V); })
          .Case("floor", [](double V) { return std::floor(V); })
          .Case("round", [](double V) { return std::round(V); })
          .Case("sqrt", [](double V) { return std::sqrt(V); })
          .Case("log2", [](double V) { return std::log2(V); })
          .Case("log", [](double V) { return std::log(V); })
          .Case("exp", [](double V) { return std::exp(V); })
          .Case("abs", [](double V) { return std::fabs(V); })
          .Default(nullptr);
  if (!Known)
    return std::nullopt;
  return floatValue(Known(X));
}

static std::optional<ConstantValue> castValue(StringRef Type,
                                              const ConstantValue &V) {
  if (Type == "float")
    return floatValue(float(V.asDouble()));
  if (Type == "double")
    return floatValue(V.asDouble());
  if (V.IsFloat && !(std::fabs(V.Float) < 9e18))
    return std::nullopt;
  return integerValue(V.IsFloat ? int64_t(V.Float) : V.Integer);
}

static std::optional<ConstantValue> unaryValue(StringRef Op,
                                               const ConstantValue &V) {
  if (Op == "!")
    return integerValue(V.asDouble() == 0);
  if (V.IsFloat)
    return floatValue(Op == "-" ? -V.Float : V.Float);
  return integerValue(Op == "-"   ? int64_t(0 - uint64_t(V.Integer))
                      : Op == "~" ? ~V.Integer
                                  : V.Integer);
}

std::optional<ConstantValue> mep::evaluate(const TermRef &T,
                                           const TermValues &Values) {
  if (!T)
    return std::nullopt;
  if (T->What == Term::Integer)
    return integerValue(T->Int);
  if (T->What == Term::Floating)
    return floatValue(T->Float);
  if (T->What == Term::Name) {
    auto Found = Values.find(T->Text);
    if (Found == Values.end())
      return std::nullopt;
    return integerValue(Found->second);
  }
  if (T->What == Term::Conditional) {
    auto If = evaluate(T->Parts[0], Values);
    if (!If)
      return std::nullopt;
    return evaluate(T->Parts[If->asDouble() != 0 ? 1 : 2], Values);
  }
  std::vector<ConstantValue> Parts;
  for (const TermRef &P : T->Parts) {
    auto V = evaluate(P, Values);
    if (!V)
      return std::nullopt;
    Parts.push_back(*V);
  }
  if (T->What == Term::Unary)
    return unaryValue(T->Text, Parts[0]);
  if (T->What == Term::Cast)
    return castValue(T->Text, Parts[0]);
  if (T->What == Term::Call)
    return callValue(T->Text, Parts);
  return binaryValue(T->Text, Parts[0], Parts[1]);
}

// ---- looking into terms ----------------------------------------------------

void mep::collectNames(const TermRef &T, std::set<std::string> &Names) {
  if (!T)
    return;
  if (T->What == Term::Name)
    Names.insert(T->Text);
  for (const TermRef &P : T->Parts)
    collectNames(P, Names);
}

TermRef mep::substitute(const TermRef &T, StringRef Name,
                        const TermRef &Value) {
  if (!T || (T->What == Term::Name && T->Text == Name))
    return T ? Value : T;
  if (T->Parts.empty())
    return T;
  Term New = *T;
  for (TermRef &P : New.Parts)
    P = substitute(P, Name, Value);
  return make(std::move(New));
}

/// Exact quotient, or null when the factors do not show one.
static TermRef exactQuotient(const TermRef &T, int64_t Divisor) {
  if (T->What == Term::Integer)
    return T->Int % Divisor == 0 ? integerTerm(T->Int / Divisor) : nullptr;
  if (T->What != Term::Binary)
    return nullptr;
  TermRef Left = exactQuotient(T->Parts[0], Divisor);
  if (T->Text == "*") {
    if (Left)
      return binaryTerm("*", Left, T->Parts[1]);
    TermRef Right = exactQuotient(T->Parts[1], Divisor);
    return Right ? binaryTerm("*", T->Parts[0], Right) : nullptr;
  }
  if (T->Text != "+" && T->Text != "-")
    return nullptr;
  TermRef Right = exactQuotient(T->Parts[1], Divisor);
  return Left && Right ? binaryTerm(T->Text, Left, Right) : nullptr;
}

TermRef mep::dividedBy(const TermRef &T, int64_t Divisor) {
  if (!T || Divisor == 1)
    return T;
  if (TermRef Exact = exactQuotient(T, Divisor))
    return Exact;
  return binaryTerm("/", T->IsFloat ? castTerm("long long", T) : T,
                    integerTerm(Divisor));
}
