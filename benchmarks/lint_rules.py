"""200 rules as a team's own linter has them: made up, different from one another.

About half look for a call by its name; the others ask what is around it, what it holds or
how something is called. Few files break any one of them.
"""

from collections.abc import Iterator, Sequence

_CALLS = (
    "os.popen os.system os.tmpnam time.clock string.join collections.Mapping inspect.getargspec "
    "asyncio.get_event_loop asyncio.ensure_future asyncio.wait_for datetime.utcnow "
    "datetime.utcfromtimestamp datetime.now logging.warn logging.getLogger _LOGGER.warn "
    "_LOGGER.exception _LOGGER.critical hass.async_add_job hass.async_run_job "
    "hass.loop.create_task "
    "hass.helpers.event hass.components.http self.hass.add_job self.async_schedule_update "
    "subprocess.call subprocess.check_output subprocess.Popen tempfile.mktemp yaml.load "
    "pickle.loads "
    "pickle.load marshal.loads shelve.open random.random random.choice hashlib.md5 hashlib.sha1 "
    "requests.get requests.post requests.Session urllib.urlopen ssl.wrap_socket "
    "socket.gethostbyname json.dumps json.loads copy.deepcopy functools.partial itertools.chain "
    "threading.Thread threading.Timer time.sleep voluptuous.Schema vol.Schema vol.All cv.string "
    "cv.deprecated er.async_get dr.async_get async_get_clientsession async_track_time_interval"
)
_NAMES = (
    "print eval exec input reduce unicode xrange basestring setattr delattr globals compile "
    "isinstance type sorted zip map filter getattr hasattr open vars callback"
)
_MORE_CALLS = (
    "os.path.join os.path.exists os.remove os.rename os.getenv os.environ.get shutil.rmtree "
    "shutil.copy re.compile re.match re.search re.sub random.randint math.floor math.ceil "
    "datetime.strptime dt_util.parse_datetime dt_util.as_local aiohttp.ClientSession "
    "async_timeout.timeout asyncio.sleep asyncio.gather asyncio.Lock asyncio.run "
    "asyncio.create_task struct.unpack base64.b64decode base64.b64encode urllib.parse.quote "
    "xmltodict.parse ET.fromstring zlib.decompress gzip.open io.BytesIO socket.socket "
    "ssl.create_default_context smtplib.SMTP ipaddress.ip_address uuid.uuid4 hmac.new "
    "secrets.token_hex platform.system sys.exit sys.platform contextlib.suppress "
    "collections.defaultdict dataclasses.replace enum.auto warnings.warn traceback.format_exc "
    "inspect.signature importlib.import_module operator.itemgetter statistics.mean "
    "decimal.Decimal hass.states.get hass.services.async_call hass.bus.async_fire "
    "hass.async_create_task hass.async_add_executor_job hass.config.path "
    "self.async_write_ha_state self.schedule_update_ha_state entry.add_update_listener "
    "entry.async_on_unload config_validation.boolean cv.positive_int vol.Optional "
    "vol.Required vol.In vol.Range"
)
_MODULES = (
    "imp distutils asyncore asynchat cgi crypt nntplib pipes telnetlib uu six mock nose attr pytz "
    "simplejson typing_extensions async_timeout"
)
_KINDS = {
    "except_clause": ("pass_statement", "continue_statement", "return_statement"),
    "function_definition": ("global_statement", "yield", "nonlocal_statement", "assert_statement"),
    "with_statement": ("return_statement", "await", "raise_statement"),
    "for_statement": ("await", "delete_statement", "try_statement"),
    "class_definition": ("global_statement", "lambda", "print_statement"),
    "while_statement": ("break_statement", "await"),
    "lambda": ("conditional_expression", "await"),
}
_WHERE = {
    "async": "{kind: function_definition, regex: '^async ', stopBy: end}",
    "loop": "{kind: for_statement, stopBy: end}",
    "except": "{kind: except_clause, stopBy: end}",
    "class": "{kind: class_definition, stopBy: {kind: function_definition}}",
}


def lint_rules() -> str:
    """The rules as one YAML text."""
    return _written([*_by_name(), *_around(), *_holding(), *_constrained(), *_others()])


def named_rules() -> str:
    """As many that look for calls by their names alone; of every fourth there is none."""
    calls = (*_CALLS.split(), *_NAMES.split(), *_MORE_CALLS.split())
    missing = [f"legacy_helper_{number}" for number in range(200)]
    names = [*calls[:150], *missing]
    return _written([f"rule: {{pattern: {name}($$$A)}}" for name in names])


def _written(rules: Sequence[str]) -> str:
    found = rules[:200]
    assert len(found) == 200, len(found)
    return "\n---\n".join(
        f"id: team-{at:03}\nlanguage: python\nseverity: warning\nmessage: not here\n{rule}"
        for at, rule in enumerate(found)
    )


def _by_name() -> Iterator[str]:
    for at, name in enumerate((*_CALLS.split(), *_NAMES.split())):
        fix = f"\nfix: checked_{at}($$$A)" if at % 3 == 0 else ""
        yield f"rule: {{pattern: {name}($$$A)}}{fix}"


def _around() -> Iterator[str]:
    for at, name in enumerate((*_CALLS.split()[::2], "open", "print")):
        where = tuple(_WHERE.values())[at % len(_WHERE)]
        yield f"rule: {{pattern: {name}($$$A), inside: {where}}}"


def _holding() -> Iterator[str]:
    for outer, inner in ((outer, each) for outer, all_ in _KINDS.items() for each in all_):
        if inner != "print_statement":
            stop = "end" if inner in ("await", "yield", "lambda") else "neighbor"
            kind = "block" if stop == "neighbor" else outer
            inside = f", inside: {{kind: {outer}}}" if kind == "block" else ""
            yield f"rule: {{kind: {kind}, has: {{kind: {inner}, stopBy: {stop}}}{inside}}}"


def _constrained() -> Iterator[str]:
    for name in _CALLS.split()[1::4]:
        yield f"rule: {{pattern: '{name}($A, $$$B)'}}\nconstraints: {{A: {{regex: '^[\"f]'}}}}"
    for name in _MODULES.split():
        yield f"rule: {{kind: import_statement, regex: '^import {name}(\\.|$)'}}"
        yield (
            "rule:\n  kind: import_from_statement\n"
            f"  has: {{field: module_name, regex: '^{name}(\\.|$)'}}"
        )


def _others() -> Iterator[str]:
    yield "rule: {pattern: $A == None}\nfix: $A is None"
    yield "rule: {pattern: $A != None}\nfix: $A is not None"
    yield "rule: {pattern: 'not $A in $B'}\nfix: $A not in $B"
    yield "rule: {any: [{pattern: type($A) == $B}, {pattern: type($A) is $B}]}"
    yield "rule: {pattern: len($A) == 0}\nconstraints: {A: {kind: identifier}}"
    yield "rule: {pattern: $A = $A}"
    yield "rule: {pattern: raise $E, kind: raise_statement, has: {kind: string}}"
    yield "rule: {kind: default_parameter, has: {field: value, any: [{kind: list}, {kind: set}]}}"
    yield "rule: {kind: comparison_operator, all: [{regex: ==}, {has: {kind: 'true'}}]}"
    yield "rule: {kind: argument_list, nthChild: 2, has: {kind: list_splat, nthChild: 3}}"
    for name in ("id", "list", "dict", "str", "type", "file", "hash", "input", "object", "vars"):
        inside = "{kind: assignment, field: left}"
        yield f"rule: {{kind: identifier, regex: ^{name}$, inside: {inside}}}"
    for name in ("l", "O", "I"):
        yield f"rule: {{kind: parameters, has: {{kind: identifier, regex: ^{name}$}}}}"
