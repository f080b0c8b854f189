/// \file
/// Lexical work on code that is about to be spliced: whole identifiers only,
/// comments and strings left alone.

#ifndef MEP_LIB_SPLICE_SPLICETEXT_H
#define MEP_LIB_SPLICE_SPLICETEXT_H

#include "llvm/ADT/StringRef.h"
#include <map>
#include <set>
#include <string>

namespace mep {

/// \p Text with every identifier that is a key of \p Names replaced. A key may
/// be dotted (`p.n`); the longest key that matches wins. An identifier after
/// `.` or `->` is a member and stays.
std::string replaceNames(llvm::StringRef Text,
                         const std::map<std::string, std::string> &Names);

/// True if the identifier \p Name occurs in \p Text.
bool mentions(llvm::StringRef Text, llvm::StringRef Name);

/// \p Text, a callee such as `ns::k<T>`, with its last identifier \p Name that
/// is followed by no `::` replaced by \p With.
std::string replaceLastName(llvm::StringRef Text, llvm::StringRef Name,
                            llvm::StringRef With);

/// Text without blanks, for comparing what people lay out differently.
std::string squeezed(llvm::StringRef Text);

/// The identifiers of \p Text that are neither members nor keywords.
std::set<std::string> variableNames(llvm::StringRef Text);

/// \p Text in parentheses unless it is one name, number or call.
std::string parenthesized(llvm::StringRef Text);

} // namespace mep

#endif // MEP_LIB_SPLICE_SPLICETEXT_H
