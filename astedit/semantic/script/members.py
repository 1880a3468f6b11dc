"""Members of classes in scripts: through `this`, `super`, `new` and declared types."""

from collections.abc import Iterator

from tree_sitter import Node

from astedit.language.brackets import nearest
from astedit.python.evaluation import is_within
from astedit.python.syntax import text_of
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import UsePlace
from astedit.semantic.module_code import refused
from astedit.semantic.script import object_types as types
from astedit.semantic.script.files import ScriptFile, ScriptFiles
from astedit.semantic.script.object_types import STATIC, ObjectTypes, Type
from astedit.semantic.script.uses import UNCLEAR, NameUses, ScriptUse, ScriptUses, UseKind

_UNKNOWN = "the object's class is not evident"


class MemberUses(NameUses):
    """The uses of the member `old` of the type `owner`, and `places` that may be some.

    `prefix` stands before its name if the class itself has it; `family` are the type, those below
    it, and those above it that have the member as well.
    """

    def __init__(self, files: ScriptFiles, asked: NameRequest) -> None:
        owner, _, old = asked.name.rpartition(".")
        self._old, self._owner = old, (asked.path, owner)
        super().__init__()
        self._low, self._high = map(int, asked.arguments["region"].split(":"))
        self.prefix = ""
        self._types = ObjectTypes(files, old)
        self._above: set[Type] = set()
        self.family = self._family()
        for file in files.holding(self._old):
            for word in file.words(self._old):
                verdict = self._member(file, word)
                if verdict is True:
                    above = word.parent
                    is_local = word.type == "identifier" and not types.is_field(word)
                    is_use = above is not None and above.type == "member_expression"
                    kind: UseKind = "name" if is_local else "member" if is_use else "definition"
                    kind = "taken" if word.type.startswith("shorthand") else kind
                    self.uses.append(ScriptUse(file, word, kind))
                elif verdict is None or file.is_unclear(word):
                    self.places.append(file.place(word, _UNKNOWN if verdict is None else UNCLEAR))
        if not self._is_private:
            self.places += files.in_pages(self._old)
        if self._types.nodes[self._owner][0][1].type == "enum_declaration":
            self.places += self._by_value(files)

    def _by_value(self, files: ScriptFiles) -> Iterator[UsePlace]:
        """Where a value says which member of an enum is meant, or a call gets all of them."""
        for file in files.holding(self._owner[1]):
            for word in file.leaves(self._owner[1]):
                above = word.parent
                assert above is not None
                index = above.child_by_field_name("index")
                is_read = above.type == "arguments" if index is None else index.type != "string"
                if is_read and self._types.of(file, word)[0] == self._owner:
                    yield file.place(word, "the names of all members")._replace(span=(0, 0))

    def is_own(self, use: ScriptUse) -> bool:
        """Whether a definition is that of the type itself."""
        whole = nearest(use.node, types.TYPES)
        return whole is not None and types.type_of(use.file, whole) == self._owner

    def has(self, name: str) -> bool:
        """Whether a type of the family, or one above or below, has another member so called."""
        below = {t for t in self._types.nodes if self.family & {*self._types.above(t)}}
        every = self.family | self._above | below
        named = self.prefix + "#" * self._is_private + name
        return any(named in self._types.members.get(kind, ()) for kind in every)

    def _find(self) -> None:
        """Looks for the type that has the member, and whether the type itself has it."""
        for here, every in self._types.nodes.items():
            for member in (m for _, node in every for m in types.declared_in(node)):
                is_it = member.start_byte < self._high and self._low < member.end_byte
                if here[0] == self._owner[0] and is_it:
                    self._owner, self.prefix = here, STATIC * types.is_static(member)
        own = (name.removeprefix(STATIC) for name in self._types.members.get(self._owner, ()))
        names = {self._old, f"#{self._old}"}.intersection(own)
        if len(names) > 1:
            why = f"has {self._old} beside #{self._old}"
            raise refused(self._owner[0], why, "ambiguous", at=self._types.nodes[self._owner][0][1])
        self._old = next(iter(names), self._old)
        self._is_private = self._old.startswith("#")  # nobody can name it outside of its class

    def _family(self) -> set[Type]:
        members, bases = self._types.members, self._types.bases
        self._find()
        if self._is_private:
            return {self._owner}
        named = self.prefix + self._old
        having = {here for here, names in members.items() if named in names}
        family = {self._owner}
        while True:
            more = {here for here, above in bases.items() if family & set(above)}
            more |= having & {base for here in family for base in self._types.above(here)}
            if more <= family:
                break
            family |= more
        every = family.union(*map(self._types.above, family))
        self._above = every - family  # what an object of the family may be taken for
        for name in sorted({base[1] for base in every if base not in bases}):
            why = f"{name}, a base from outside, may have it"
            self.places.append(UsePlace(self._owner[0], 1, why))
        return family

    def _is_parameter(self, file: ScriptFile, word: Node) -> bool:
        """Whether a name is that of a constructor's parameter or of an enum which is the member."""
        fields = [leaf for leaf in file.binders(word) if types.is_field(leaf)]
        whole = nearest(fields[0], types.TYPES) if fields else None
        return whole is not None and types.type_of(file, whole) in self.family

    def _member(self, file: ScriptFile, word: Node) -> bool | None:
        """Whether a property is the member; None if that is not evident."""
        above = word.parent
        if above is None or (word.type == "string_fragment" and text_of(word) != self._old):
            return False
        if self._is_private:
            return any(f is file and is_within(word, n) for f, n in self._types.nodes[self._owner])
        around = above.parent
        if word.type.endswith("_pattern") or above.type == "pair_pattern":
            return self._has(file, _taken_from(word))
        if word.type.startswith("shorthand_property") or word.type == "string_fragment":
            return None
        if word.type == "identifier":
            return self._is_parameter(file, word)
        if above.type == "nested_type_identifier" and above.named_children[-1] == word:
            return self._has(file, above.named_children[0])
        if "property_identifier" not in word.type:
            return False
        if above.type == "jsx_attribute":
            return None
        if above.type != "member_expression":
            if around is not None and around.type == "object":  # it may be one of the class
                kind = self._types.wanted(file, around)
                return None if kind is None else kind in self.family and not self.prefix
            member, body = (word, above) if above.type == "enum_body" else (above, around)
            if body is None or body.type not in types.BODIES or body.parent is None:
                return False
            own = types.type_of(file, body.parent)
            if own in self.family and types.is_static(member) == bool(self.prefix):
                return True
            # an interface that nobody names may be one that the class fits
            is_told = body.type in ("class_body", "enum_body") and not self._types.is_open(own)
            return False if is_told else None
        return self._has(file, above.child_by_field_name("object"))

    def _has(self, file: ScriptFile, target: Node | None) -> bool | None:
        """Whether an object has the member; None if that is not evident."""
        kind, is_class = self._types.of(file, target)
        if kind in self.family:
            return is_class == bool(self.prefix)
        if kind is None or kind in self._above or self._types.is_open(kind):
            return None  # or a test of the object tells it apart
        return False


def _taken_from(word: Node) -> Node | None:
    """What tells from which object a pattern takes a member; None if that is not evident."""
    pattern = nearest(word, ("object_pattern",))
    binding = pattern.parent if pattern is not None else None
    fields = map(binding.child_by_field_name, ("type", "value", "right")) if binding else ()
    return next(filter(None, fields), None)


def uses_of(files: ScriptFiles, asked: NameRequest) -> NameUses:
    """The uses of a name of a module, under whatever name, or of a member `Owner.name`."""
    if "." in asked.name:
        return MemberUses(files, asked)
    return ScriptUses(files, asked.path, asked.last, aliases=True)
