// Frontend/ConstantEvaluator
