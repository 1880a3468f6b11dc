"""What each grammar calls a definition: one query a language, written by us.

Captures: `@class` and `@function` open a scope and have a `@name`; so does `@scope`, which
is no definition itself (a namespace, an `impl`). `@prefix` holds the package or namespace
of a whole file. `@variable` is a binding, its targets `@name` or, in a list, `@targets`;
`@attribute` one of `@self`. `@body` is what remains of a region with `body_only`. `@global`
holds names that a Python function binds outside itself.
"""

from dataclasses import dataclass

_PYTHON = """
(function_definition name: (identifier) @name body: (block) @body) @function
(class_definition name: (identifier) @name body: (block) @body) @class
(assignment left: (identifier) @name) @variable
(assignment left: [(pattern_list) (tuple_pattern) (list_pattern)] @targets) @variable
(assignment left: (attribute object: (identifier) @self attribute: (identifier) @name)) @attribute
(for_statement left: (_) @targets) @variable
(as_pattern alias: (as_pattern_target (_) @targets)) @variable
(named_expression name: (identifier) @name) @variable
(type_alias_statement left: (type (identifier) @name)) @variable
(parameters [
  (identifier) @name
  (typed_parameter [(identifier) @name (list_splat_pattern (identifier) @name)
                    (dictionary_splat_pattern (identifier) @name)])
  (default_parameter name: (identifier) @name)
  (typed_default_parameter name: (identifier) @name)
  (list_splat_pattern (identifier) @name)
  (dictionary_splat_pattern (identifier) @name)]) @variable
(global_statement) @global
(nonlocal_statement) @global
"""
_JAVASCRIPT = """
(class_declaration name: (_) @name body: (_) @body) @class
(variable_declarator name: (identifier) @name value: (class body: (_) @body)) @class
(function_declaration name: (_) @name body: (_) @body) @function
(generator_function_declaration name: (_) @name body: (_) @body) @function
(variable_declarator name: (identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)
          (generator_function body: (_) @body)]) @function
(method_definition name: [(property_identifier) (private_property_identifier)] @name
  body: (_) @body) @function
(pair key: (property_identifier) @name
  value: [(arrow_function body: (_) @body) (function_expression body: (_) @body)]) @function
(assignment_expression left: (member_expression property: (property_identifier) @name)
  right: [(function_expression body: (_) @body) (arrow_function body: (_) @body)]) @function
(variable_declarator name: (identifier) @name) @variable
"""
_FIELD = """
(field_definition property: [(property_identifier) (private_property_identifier)] @name) @variable
"""
_TYPESCRIPT = (
    _JAVASCRIPT
    + """
(abstract_class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(internal_module name: (_) @name body: (_) @body) @scope
(module name: (_) @name body: (_) @body) @scope
(type_alias_declaration name: (_) @name value: (_) @body) @class
(function_signature name: (_) @name) @function
(method_signature name: (_) @name) @function
(abstract_method_signature name: (_) @name) @function
(property_signature name: (_) @name) @variable
(public_field_definition
  name: [(property_identifier) (private_property_identifier)] @name) @variable
(enum_assignment name: (_) @name) @variable
(enum_body (property_identifier) @name @variable)
"""
)
_BY_NAME = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT + _FIELD,
    "typescript": _TYPESCRIPT,
    "tsx": _TYPESCRIPT,
    "java": """
(package_declaration (_) @prefix)
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(record_declaration name: (_) @name body: (_) @body) @class
(annotation_type_declaration name: (_) @name body: (_) @body) @class
(method_declaration name: (_) @name body: (_)? @body) @function
(constructor_declaration name: (_) @constructor body: (_) @body) @function
(compact_constructor_declaration name: (_) @constructor body: (_) @body) @function
(annotation_type_element_declaration name: (_) @name) @function
(field_declaration declarator: (variable_declarator name: (_) @name)) @variable
(constant_declaration declarator: (variable_declarator name: (_) @name)) @variable
(enum_constant name: (_) @name) @variable
(local_variable_declaration declarator: (variable_declarator name: (_) @name)) @variable
""",
    "go": """
(package_clause (package_identifier) @prefix)
(function_declaration name: (_) @name body: (_)? @body) @function
(method_declaration receiver: (_) @receiver name: (_) @name body: (_)? @body) @function
(type_spec name: (_) @name type: (_) @body) @class
(type_alias name: (_) @name type: (_) @body) @class
(method_elem name: (_) @name) @function
(field_declaration name: (_) @name) @variable
(const_spec name: (identifier) @name) @variable
(var_spec name: (identifier) @name) @variable
(short_var_declaration left: (expression_list (identifier) @name)) @variable
""",
    "rust": """
(mod_item name: (_) @name body: (_) @body) @scope
(impl_item type: (_) @name body: (_) @body) @scope
(struct_item name: (_) @name body: (_)? @body) @class
(enum_item name: (_) @name body: (_) @body) @class
(union_item name: (_) @name body: (_) @body) @class
(trait_item name: (_) @name body: (_) @body) @class
(type_item name: (_) @name type: (_) @body) @class
(function_item name: (_) @name body: (_) @body) @function
(function_signature_item name: (_) @name) @function
(macro_definition name: (_) @name) @function
(const_item name: (_) @name) @variable
(static_item name: (_) @name) @variable
(enum_variant name: (_) @name) @variable
(field_declaration name: (_) @name) @variable
(let_declaration pattern: (identifier) @name) @variable
""",
    "csharp": """
(file_scoped_namespace_declaration name: (_) @prefix)
(namespace_declaration name: (_) @name body: (_) @body) @scope
(class_declaration name: (_) @name body: (_)? @body) @class
(struct_declaration name: (_) @name body: (_)? @body) @class
(interface_declaration name: (_) @name body: (_)? @body) @class
(record_declaration name: (_) @name body: (_)? @body) @class
(enum_declaration name: (_) @name body: (_)? @body) @class
(delegate_declaration name: (_) @name) @class
(method_declaration name: (_) @name body: (_)? @body) @function
(local_function_statement name: (_) @name body: (_)? @body) @function
(constructor_declaration name: (_) @constructor body: (_)? @body) @function
(property_declaration name: (_) @name) @variable
(event_declaration name: (_) @name) @variable
(enum_member_declaration name: (_) @name) @variable
(field_declaration (variable_declaration (variable_declarator name: (_) @name))) @variable
(event_field_declaration (variable_declaration (variable_declarator name: (_) @name))) @variable
(local_declaration_statement
  (variable_declaration (variable_declarator name: (_) @name))) @variable
""",
    "ruby": """
(module name: (_) @name body: (_)? @body) @class
(class name: (_) @name body: (_)? @body) @class
(method name: (_) @name body: (_)? @body) @function
(singleton_method name: (_) @name body: (_)? @body) @function
(assignment left: [(identifier) (constant)] @name) @variable
(assignment left: [(instance_variable) (class_variable)] @member) @variable
""",
    "php": """
(namespace_definition name: (_) @prefix !body)
(namespace_definition name: (_) @name body: (_) @body) @scope
(class_declaration name: (_) @name body: (_) @body) @class
(interface_declaration name: (_) @name body: (_) @body) @class
(trait_declaration name: (_) @name body: (_) @body) @class
(enum_declaration name: (_) @name body: (_) @body) @class
(function_definition name: (_) @name body: (_) @body) @function
(method_declaration name: (_) @name body: (_)? @body) @function
(property_declaration (property_element name: (variable_name (name) @name))) @variable
(const_declaration (const_element . (name) @name)) @variable
(enum_case name: (_) @name) @variable
(assignment_expression left: (variable_name (name) @name)) @variable
""",
    "kotlin": """
(package_header (qualified_identifier) @prefix)
(class_declaration name: (_) @name (class_body)? @body) @class
(object_declaration name: (_) @name (class_body)? @body) @class
(companion_object (class_body) @body) @scope
(type_alias type: (identifier) @name) @class
(function_declaration name: (_) @name (function_body)? @body) @function
(secondary_constructor (block) @body) @function
(property_declaration (variable_declaration (identifier) @name)) @variable
(enum_entry (identifier) @name) @variable
""",
    "cpp": """
(namespace_definition name: (_) @name body: (_) @body) @scope
(class_specifier name: (_) @name body: (_) @body) @class
(struct_specifier name: (_) @name body: (_) @body) @class
(union_specifier name: (_) @name body: (_) @body) @class
(enum_specifier name: (_) @name body: (_) @body) @class
(alias_declaration name: (_) @name type: (_) @body) @class
(function_definition declarator: (_) @declarator body: (_)? @body) @function
(enumerator name: (_) @name) @variable
(field_declaration declarator: (field_identifier) @name) @variable
(declaration declarator: (identifier) @name) @variable
(declaration declarator: (init_declarator declarator: (identifier) @name)) @variable
(preproc_def name: (_) @name) @variable
""",
}


@dataclass(frozen=True, slots=True)
class Naming:
    """How definitions are found and named in one language.

    `by_path`: the module's path is part of the full name, as no declaration says it.
    `wrappers` are parents that belong to a definition's region, `leading` the siblings
    before it that do (decorators, attributes). `constructor` is what one is called.
    """

    query: str
    by_path: bool = False
    wrappers: frozenset[str] = frozenset()
    leading: frozenset[str] = frozenset()
    constructor: str = "<init>"


def naming(language: str) -> Naming | None:
    """How a language's definitions are named, by its canonical name; None if nobody said."""
    query = _BY_NAME.get(language)
    if query is None:
        return None
    return Naming(
        query,
        language in ("python", "javascript", "typescript", "tsx", "rust"),
        _WRAPPERS.get(language, frozenset()),
        _LEADING,
        "constructor" if language == "kotlin" else "<init>",
    )


def named_languages() -> tuple[str, ...]:
    """The languages whose symbols can be located."""
    return tuple(_BY_NAME)


_EXPORTED = frozenset({"export_statement", "lexical_declaration", "variable_declaration"})
_WRAPPERS = {
    "python": frozenset({"decorated_definition"}),
    "javascript": _EXPORTED,
    "typescript": _EXPORTED,
    "tsx": _EXPORTED,
    "cpp": frozenset({"template_declaration"}),
    "go": frozenset({"type_declaration", "const_declaration", "var_declaration"}),
}
_LEADING = frozenset({"decorator", "attribute_item"})
