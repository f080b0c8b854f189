// Model/ElementType
