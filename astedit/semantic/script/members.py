"""Members of classes in scripts: through `this`, `super`, `new` and declared types."""

from itertools import islice

from tree_sitter import Node

from astedit.errors import PreconditionError
from astedit.language.brackets import nearest
from astedit.python.syntax import text_of
from astedit.semantic.library import NameRequest
from astedit.semantic.listed_uses import UsePlace
from astedit.semantic.module_code import parents
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
        for file in files.holding(old):
            for word in file.words(old):
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

    def has(self, name: str) -> bool:
        """Whether a type of the family, or one above or below, has another member so called."""
        below = {t for t in self._types.nodes if self.family & {*self._types.above(t)}}
        every = self.family | self._above | below
        return any(self.prefix + name in self._types.members.get(kind, ()) for kind in every)

    def _family(self) -> set[Type]:
        members, bases = self._types.members, self._types.bases
        for _, node in self._types.nodes.get(self._owner, ()):
            for member in types.declared_in(node):
                is_it = types.name_of(member).removeprefix(STATIC) == self._old
                if is_it and self._low <= member.start_byte < self._high:
                    self.prefix = STATIC if types.is_static(member) else ""
        if members.get(self._owner, []).count(self.prefix + self._old) > 1:
            path, name = self._owner
            message = f"{name} has {self._old!r} more than once; nothing was staged."
            raise PreconditionError(message, path=path, code="ambiguous")
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
        """Whether a name is that of a parameter of a constructor which makes the member."""
        fields = [leaf for leaf in file.binders(word) if types.is_field(leaf)]
        whole = nearest(fields[0], types.TYPES) if fields else None
        own = text_of(whole.child_by_field_name("name")) if whole is not None else ""
        return (file.path, own) in self.family

    def _member(self, file: ScriptFile, word: Node) -> bool | None:
        """Whether a property is the member; None if that is not evident."""
        above = word.parent
        if above is None or (word.type == "string_fragment" and text_of(word) != self._old):
            return False
        if (value := _destructured(word)) is not None:
            return self._has(file, value)
        if word.type.startswith("shorthand_property") or word.type == "string_fragment":
            return None
        if word.type == "identifier":
            return self._is_parameter(file, word)
        if "property_identifier" not in word.type:
            return False
        around = above.parent
        if above.type != "member_expression":
            if around is not None and around.type == "object":  # it may be one of the class
                kind = self._types.wanted(file, around)
                return None if kind is None else kind in self.family and not self.prefix
            if around is None or around.type not in types.BODIES or around.parent is None:
                return False
            own = text_of(around.parent.child_by_field_name("name"))
            is_own = (file.path, own) in self.family and types.is_static(above) == bool(self.prefix)
            # an interface that nobody names may be one that the class fits
            return is_own or (False if around.type == "class_body" else None)
        target = above.child_by_field_name("object")
        return self._has(file, target) if target is not None else None

    def _has(self, file: ScriptFile, target: Node) -> bool | None:
        """Whether an object has the member; None if that is not evident."""
        kind, is_class = self._types.of(file, target)
        if kind is None or kind in self._above:
            return None  # or a test of the object tells it apart
        return kind in self.family and is_class == bool(self.prefix)


def _destructured(word: Node) -> Node | None:
    """What `const { word } = value` takes a member of; None for anything else."""
    around = [above for above, _ in islice(parents(word), 3)]
    at = next((n for n, above in enumerate(around[:2]) if above.type == "object_pattern"), 2)
    is_key = word.type != "identifier" and at + 1 < len(around)
    return around[at + 1].child_by_field_name("value") if is_key else None


def uses_of(files: ScriptFiles, asked: NameRequest) -> NameUses:
    """The uses of a name of a module, under whatever name, or of a member `Owner.name`."""
    if "." in asked.name:
        return MemberUses(files, asked)
    return ScriptUses(files, asked.path, asked.last, aliases=True)
