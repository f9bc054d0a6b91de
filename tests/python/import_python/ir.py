# SPDX-License-Identifier: Apache-2.0
"""Runs the printed control-flow IR with ordinary Python values: the judge of the lowering."""

import ast
import builtins
import inspect
import operator
import re
import types

BINARY = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "@": operator.matmul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "**": operator.pow,
    "<<": operator.lshift,
    ">>": operator.rshift,
    "|": operator.or_,
    "^": operator.xor,
    "&": operator.and_,
}
INPLACE = {
    "+=": operator.iadd,
    "-=": operator.isub,
    "*=": operator.imul,
    "@=": operator.imatmul,
    "/=": operator.itruediv,
    "//=": operator.ifloordiv,
    "%=": operator.imod,
    "**=": operator.ipow,
    "<<=": operator.ilshift,
    ">>=": operator.irshift,
    "|=": operator.ior,
    "^=": operator.ixor,
    "&=": operator.iand,
}
COMPARE = {
    "<": operator.lt,
    "<=": operator.le,
    "==": operator.eq,
    "!=": operator.ne,
    ">": operator.gt,
    ">=": operator.ge,
}
UNARY = {"-": operator.neg, "+": operator.pos, "~": operator.invert, "not": operator.not_}
CONVERT = {"!r": repr, "!s": str, "!a": ascii}


class Block:
    def __init__(self):
        self.lines = []
        self.handler = None


class Function:
    """One function of the text, with the functions inside it."""

    def __init__(self, lines):
        head = re.fullmatch(r"(function|generator) (.+?)\((.*)\):", lines.pop(0))
        self.is_generator = head[1] == "generator"
        self.qualname = head[2]
        self.name = head[2].rsplit(".", 1)[-1]
        self.signature = parse_signature(head[3])
        self.cells, self.free, self.inner, self.blocks = [], [], [], {}
        inner_count = 0
        while lines[0].startswith("  "):
            word, *names = lines.pop(0).split()
            if word == "inner":
                inner_count = len(names)
            else:
                setattr(self, word, names)
        while lines and lines[0]:
            self.read_block(lines)
        for _ in range(inner_count):
            lines.pop(0)
            self.inner.append(Function(lines))

    def read_block(self, lines):
        head = re.fullmatch(r"(b\d+):(?:  handler (b\d+)\((.+)\))?", lines.pop(0))
        block = self.blocks[head[1]] = Block()
        block.handler = (head[2], head[3]) if head[2] else None
        while lines and lines[0].startswith("  "):
            block.lines.append(lines.pop(0)[2:])


def parse_signature(text):
    parameters, kind = [], inspect.Parameter.POSITIONAL_OR_KEYWORD
    for word in filter(None, text.split(", ")):
        if word == "/":
            parameters = [p.replace(kind=inspect.Parameter.POSITIONAL_ONLY) for p in parameters]
        elif word == "*":
            kind = inspect.Parameter.KEYWORD_ONLY
        elif word.startswith("**"):
            parameters.append(inspect.Parameter(word[2:], inspect.Parameter.VAR_KEYWORD))
        elif word.startswith("*"):
            parameters.append(inspect.Parameter(word[1:], inspect.Parameter.VAR_POSITIONAL))
            kind = inspect.Parameter.KEYWORD_ONLY
        else:
            # inspect takes no names like ".0".
            parameters.append(inspect.Parameter(word.replace(".", "implicit"), kind))
    return parameters


def make(function, global_names, defaults=(), keyword_defaults=None, cells=()):
    """A Python function that runs the IR."""
    parameters, given = list(function.signature), list(defaults)
    positional = [
        i for i, p in enumerate(parameters) if p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)
    ]
    for i, value in zip(positional[len(positional) - len(given) :], given):
        parameters[i] = parameters[i].replace(default=value)
    for i, p in enumerate(parameters):
        if p.kind is p.KEYWORD_ONLY and p.name in (keyword_defaults or {}):
            parameters[i] = p.replace(default=keyword_defaults[p.name])
    signature = inspect.Signature(parameters)

    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        registers = {name: types.CellType() for name in function.cells}
        registers.update(zip(function.free, cells))
        for name, value in bound.arguments.items():
            name = name.replace("implicit", ".")
            if name in function.cells:
                registers[name].cell_contents = value
            else:
                registers[name] = value
        run = Frame(function, registers, global_names).run()
        if function.is_generator:
            return run
        try:
            next(run)
        except StopIteration as stop:
            return stop.value
        raise AssertionError("a function that is no generator yields")

    call.__name__, call.__qualname__ = function.name, function.qualname
    return call


def split_list(text):
    return text.split(", ") if text else []


class Frame:
    def __init__(self, function, registers, global_names):
        self.function, self.r, self.globals = function, registers, global_names

    def run(self):
        block = self.function.blocks["b0"]
        while True:
            try:
                for line in block.lines[:-1]:
                    yield from self.step(line)
                target = self.leave(block.lines[-1])
            except BaseException as error:
                if block.handler is None or isinstance(error, GeneratorExit):
                    raise
                target, register = block.handler
                self.r[register] = error
            if isinstance(target, tuple):
                return target[0]
            block = self.function.blocks[target]

    def leave(self, line):
        word, _, rest = line.partition(" ")
        if word == "jump":
            return rest
        if word == "branch":
            condition, yes, no = re.fullmatch(r"(\S+) \? (\S+) : (\S+)", rest).groups()
            return yes if self.r[condition] else no
        if word == "for_next":
            return self.for_next(rest)
        if word == "return":
            return (self.r[rest],)
        if word == "reraise":
            raise self.r[rest]
        assert word == "raise", line
        exception, _, cause = rest.partition(" from ")
        if cause:
            raise self.r[exception] from self.r[cause]
        raise self.r[exception]

    def for_next(self, text):
        match = re.fullmatch(r"(\S+) = (\S+) \? (\S+) : (\w+)(?:, returned (\S+))?", text)
        try:
            self.r[match[1]] = next(self.r[match[2]])
        except StopIteration as stop:
            if match[5]:
                self.r[match[5]] = stop.value
            return match[4]
        return match[3]

    def step(self, line):
        target, separator, right = line.partition(" = ")
        if not separator or re.match(r"(set|store|delete)_", target):
            target, right = None, line
        op, _, rest = right.partition(" ")
        if op == "yield":
            value = yield self.r[rest.removeprefix("#1 ")]
        elif op == "unpack":
            return self.unpack(target, rest)
        else:
            value = getattr(self, "op_" + op)(rest)
        if target is not None:
            self.r[target] = value

    def unpack(self, targets, source):
        names = split_list(targets.removesuffix("()"))
        plain = [name.removeprefix("*") for name in names]
        scope = {"value": self.r[source]}
        local = [("*" if n.startswith("*") else "") + f"t{i}" for i, n in enumerate(names)]
        exec(f"[{', '.join(local)}] = value", scope)
        for i, name in enumerate(plain):
            self.r[name] = scope[f"t{i}"]

    def values(self, text):
        return [self.r[name] for name in split_list(text)]

    def op_const(self, text):
        if text == "<class 'AssertionError'>":
            return AssertionError
        return Ellipsis if text == "Ellipsis" else ast.literal_eval(text)

    def op_move(self, text):
        return self.r[text]

    def op_load_global(self, name):
        if name in self.globals:
            return self.globals[name]
        try:
            return getattr(builtins, name)
        except AttributeError:
            raise NameError(f"name '{name}' is not defined") from None

    def op_store_global(self, text):
        name, value = text.split(" = ")
        self.globals[name] = self.r[value]

    def op_delete_global(self, name):
        del self.globals[name]

    def op_load_cell(self, name):
        try:
            return self.r[name].cell_contents
        except ValueError:
            raise self.unbound(name) from None

    def unbound(self, name):
        if name in self.function.free:
            return NameError(
                f"cannot access free variable '{name}' where it is not associated with a value"
                " in enclosing scope"
            )
        return UnboundLocalError(
            f"cannot access local variable '{name}' where it is not associated with a value"
        )

    def op_store_cell(self, text):
        cell, value = text.split(" = ")
        self.r[cell].cell_contents = self.r[value]

    def op_delete_cell(self, name):
        self.op_load_cell(name)
        del self.r[name].cell_contents

    def op_delete(self, name):
        self.r.pop(name, None)

    def op_check_bound(self, name):
        if name not in self.r:
            raise self.unbound(name)

    def op_unary(self, text):
        symbol, operand = text.split(" ")
        return UNARY[symbol](self.r[operand])

    def op_binary(self, text):
        left, symbol, right = text.split(" ")
        return {**BINARY, **INPLACE}[symbol](self.r[left], self.r[right])

    def op_compare(self, text):
        left, symbol, right = text.split(" ")
        return COMPARE[symbol](self.r[left], self.r[right])

    def op_is(self, text):
        return operator.is_(*self.values(text))

    def op_is_not(self, text):
        return operator.is_not(*self.values(text))

    def op_contains(self, text):
        element, container = self.values(text)
        return element in container

    def op_length(self, text):
        return len(self.r[text])

    def op_get_attr(self, text):
        owner, name = text.rsplit(".", 1)
        return getattr(self.r[owner], name)

    def op_set_attr(self, text):
        place, value = text.split(" = ")
        owner, name = place.rsplit(".", 1)
        setattr(self.r[owner], name, self.r[value])

    def op_delete_attr(self, text):
        owner, name = text.rsplit(".", 1)
        delattr(self.r[owner], name)

    def place(self, text):
        container, key = re.fullmatch(r"(\S+)\[(\S+)\]", text).groups()
        return self.r[container], self.r[key]

    def op_get_item(self, text):
        return operator.getitem(*self.place(text))

    def op_set_item(self, text):
        place, value = text.split(" = ")
        operator.setitem(*self.place(place), self.r[value])

    def op_delete_item(self, text):
        operator.delitem(*self.place(text))

    def op_build_slice(self, text):
        return slice(*self.values(text))

    def op_build_list(self, text):
        return self.values(text)

    def op_build_tuple(self, text):
        return tuple(self.values(text))

    def op_build_set(self, text):
        return set(self.values(text))

    def op_build_dict(self, text):
        flat = self.values(text)
        return dict(zip(flat[::2], flat[1::2]))

    def op_list_append(self, text):
        target, value = self.values(text)
        target.append(value)

    def op_list_extend(self, text):
        target, value = self.values(text)
        target.extend(value)

    def op_set_add(self, text):
        target, value = self.values(text)
        target.add(value)

    def op_set_update(self, text):
        target, value = self.values(text)
        target.update(value)

    def op_dict_set(self, text):
        target, key, value = self.values(text)
        target[key] = value

    def op_dict_update(self, text):
        target, value = self.values(text)
        target.update(value)

    def op_list_to_tuple(self, text):
        return tuple(self.r[text])

    def op_build_string(self, text):
        return "".join(self.values(text))

    def op_format_value(self, text):
        convert = str
        if text.startswith("!"):
            conversion, text = text.split(" ", 1)
            convert = CONVERT[conversion]
            value, *spec = self.values(text)
            return format(convert(value), *spec)
        return format(*self.values(text))

    def op_get_iter(self, text):
        return iter(self.r[text])

    def op_call(self, text):
        callee, arguments = re.fullmatch(r"(\S+?)\((.*)\)", text).groups()
        positional, keywords = [], {}
        for each in split_list(arguments):
            if each.startswith("**"):
                more = self.r[each[2:]]
                if doubled := keywords.keys() & more.keys():
                    raise TypeError(f"multiple values for {doubled}")
                keywords.update(more)
            elif each.startswith("*"):
                positional.extend(self.r[each[1:]])
            elif "=" in each:
                name, value = each.split("=")
                keywords[name] = self.r[value]
            else:
                positional.append(self.r[each])
        return self.r[callee](*positional, **keywords)

    def op_super(self, text):
        callee, owner, first = self.values(text)
        return callee(owner, first)

    def op_make_function(self, text):
        index, arguments = re.fullmatch(r"#(\d+) \S+?\((.*)\)", text).groups()
        defaults, keyword_defaults, cells = [], {}, []
        for each in split_list(arguments):
            if each.startswith("cell "):
                cells.append(self.r[each[5:]])
            elif "=" in each:
                name, value = each.split("=")
                keyword_defaults[name] = self.r[value]
            else:
                defaults.append(self.r[each])
        return make(self.function.inner[int(index)], self.globals, defaults, keyword_defaults, cells)

    def op_import(self, text):
        name, names, level = re.fullmatch(r"(\S*)(?: ?\((.*)\))?(?: #(\d+))?", text).groups()
        return __import__(name, self.globals, None, split_list(names or "") or None, int(level or 0))

    def op_import_from(self, text):
        name, module = text.split(" ")
        return getattr(self.r[module], name)

    def op_exception_matches(self, text):
        exception, kinds = self.values(text)
        try:
            raise exception
        except kinds:
            return True
        except BaseException as error:
            if error is exception:
                return False
            raise

    def op_enter_context(self, text):
        manager = self.r[text]
        kind = type(manager)
        if not hasattr(kind, "__enter__") or not hasattr(kind, "__exit__"):
            raise TypeError(f"'{kind.__name__}' object does not support the context manager protocol")
        return kind.__enter__(manager)

    def op_exit_context(self, text):
        manager, *exception = self.values(text)
        error = exception[0] if exception else None
        parts = (type(error), error, error.__traceback__) if error is not None else (None, None, None)
        return type(manager).__exit__(manager, *parts)

    def op_match_sequence(self, text):
        match self.r[text]:
            case [*_]:
                return True
        return False

    def op_match_mapping(self, text):
        match self.r[text]:
            case {}:
                return True
        return False

    def op_match_keys(self, text):
        subject, keys = self.values(text)
        missing = object()
        found = tuple(subject.get(key, missing) for key in keys)
        return None if missing in found else found

    def op_match_class(self, text):
        names, count, operands = re.fullmatch(r"(?:\((.*?)\) )?(?:#(\d+) )?(.+)", text).groups()
        subject, kind = self.values(operands)
        count = int(count or 0)
        if not isinstance(subject, kind):
            return None
        if count and not hasattr(kind, "__match_args__"):
            return (subject,)
        wanted = [*getattr(kind, "__match_args__", ())[:count], *split_list(names or "")]
        if not all(hasattr(subject, name) for name in wanted):
            return None
        return tuple(getattr(subject, name) for name in wanted)


def run_ir(text, function, *args, **kwargs):
    """Calls the function through its IR."""
    lowered = Function(text.rstrip("\n").split("\n"))
    keyword_defaults = function.__kwdefaults__ or {}
    runnable = make(
        lowered,
        function.__globals__,
        function.__defaults__ or (),
        keyword_defaults,
        function.__closure__ or (),
    )
    return runnable(*args, **kwargs)
