"""Kernels that call hooks: the source of a kernel, compiled once more with the calls inserted.

A hook is itself a kernel. It is called with the values that its parameters name, so it does not
depend on the other parameters of what it watches, nor on what happens between the calls.
"""

import ast
import inspect
import textwrap
from collections.abc import Callable, Mapping
from types import CodeType, FunctionType
from typing import Any

from engine.jit.kernel import instance, kernel
from engine.lab.interpreted import Kernel, source_of


def watched(
    source: Kernel,
    name: str,
    enter: Kernel | None = None,
    leave: Kernel | None = None,
    before: Mapping[str, Kernel] | None = None,
    **bound: Any,
) -> Callable[..., Any]:
    """Return a copy of the kernel ``source`` called ``name``, a plain function, that calls hooks.

    ``enter`` is called first. ``leave`` is called at every return: its first argument is the value,
    and its result is returned instead. ``before`` maps names of kernels to hooks; each is called
    before every statement that is nothing but a call of that kernel. Every other parameter of a
    hook has the name of a parameter of ``source``, whose present value it gets, or in ``before`` of
    one of the kernel that is about to be called. ``bound`` replaces globals, as in `instance`.

    Raises `TypeError` if a hook has another parameter, or if no statement is a call of a kernel of
    ``before``.
    """
    function = source_of(source)
    tree = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    assert isinstance(tree, ast.FunctionDef)
    ast.increment_lineno(tree, function.__code__.co_firstlineno - 1)
    tree.decorator_list = []
    hooks = {f"_hook_before_{called}": hook for called, hook in (before or {}).items()}
    inserter = _Inserter(function, leave, before or {})
    inserter.visit(tree)
    if missing := set(before or ()) - inserter.found:
        raise TypeError(f"no statement of {function.__name__} calls {', '.join(sorted(missing))}")
    if leave:
        hooks["_hook_leave"] = leave
    if enter:
        hooks["_hook_enter"] = enter
        first = 0 if ast.get_docstring(tree) is None else 1
        call = ast.Expr(inserter.call("_hook_enter", parameters_of(enter), {}))
        tree.body.insert(first, ast.copy_location(call, tree.body[first]))
    module = ast.fix_missing_locations(ast.Module([tree], []))
    code = compile(module, function.__code__.co_filename, "exec", dont_inherit=True)
    [body] = [
        each for each in code.co_consts if isinstance(each, CodeType) and each.co_name == tree.name
    ]
    return instance(FunctionType(body, function.__globals__), name, **hooks, **bound)


def recursive(copy: Callable[..., Any], name: str) -> Kernel:
    """Return ``copy``, of a function ``name`` that calls itself, as a kernel that calls itself."""
    compiled = kernel(copy)
    copy.__globals__[name] = compiled
    return compiled


def parameters_of(kernel: Kernel) -> tuple[str, ...]:
    """Return the names of a kernel's parameters."""
    code = source_of(kernel).__code__
    return tuple(code.co_varnames[: code.co_argcount])


class _Inserter(ast.NodeTransformer):
    """Inserts calls of hooks into ``function``; ``found`` are the kernels whose calls it found."""

    def __init__(
        self, function: FunctionType, leave: Kernel | None, before: Mapping[str, Kernel]
    ) -> None:
        self.found: set[str] = set()
        self._function, self._leave, self._before = function, leave, before

    def call(self, hook: str, names: tuple[str, ...], passed: Mapping[str, ast.expr]) -> ast.Call:
        """Return a call of ``hook``; of its arguments ``names`` some are ``passed`` to a kernel."""
        own = parameters_of(self._function)
        if unknown := [each for each in names if each not in own and each not in passed]:
            raise TypeError(f"{self._function.__name__} has no {', '.join(unknown)} for a hook")
        arguments = [passed.get(each) or ast.Name(each, ast.Load()) for each in names]
        return ast.Call(ast.Name(hook, ast.Load()), arguments, [])

    def visit_Return(self, node: ast.Return) -> ast.AST:
        if self._leave is None or node.value is None:
            return node
        call = self.call("_hook_leave", parameters_of(self._leave)[1:], {})
        call.args.insert(0, node.value)
        return ast.copy_location(ast.Return(call), node)

    def visit_Expr(self, node: ast.Expr) -> ast.AST | list[ast.AST]:
        call = node.value
        if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name):
            return node
        hook = self._before.get(call.func.id)
        if hook is None:
            return node
        self.found.add(call.func.id)
        callee = self._function.__globals__[call.func.id]
        passed = dict(zip(parameters_of(callee), call.args, strict=True))
        inserted = self.call(f"_hook_before_{call.func.id}", parameters_of(hook), passed)
        return [ast.copy_location(ast.Expr(inserted), node), node]
