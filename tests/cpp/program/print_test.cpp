// SPDX-License-Identifier: Apache-2.0
#include "program/print.h"

#include <gtest/gtest.h>

#include "program/functions.h"

namespace dycl::program {
namespace {

TEST(ProgramPrint, HandlersArgumentsAndPositionsAreShown) {
  Function f;
  f.qualified_name = "Net.forward";
  f.constants = {"3"};
  const RegisterId self = add_parameter(f, "self");
  const RegisterId rest = add_register(f, "rest");
  f.parameters.push_back({"rest", ParameterKind::Star, rest});
  const RegisterId three = add_register(f, "%0", RegisterKind::Temporary);
  const RegisterId out = add_register(f, "%1", RegisterKind::Temporary);
  const RegisterId error = add_register(f, "%2", RegisterKind::Temporary);
  add_block(f,
            {{.op = Op::Const, .result = three, .position = {4, 9, 4, 10}},
             {.op = Op::Call,
              .result = out,
              .operands = {self, three, rest, three},
              .arguments = {{ArgumentKind::Positional}, {ArgumentKind::Star}, {ArgumentKind::Keyword, "k"}}}},
            Branch{out, BlockId(1), BlockId(1)});
  f.blocks[0].handler = Handler{BlockId(1), error};
  add_block(f, {{.op = Op::Unpack, .operands = {out}, .index = 1, .results = {three, out}}}, Return{out});
  EXPECT_EQ(to_string(f, {.positions = true}),
            "function Net.forward(self, *rest):\n"
            "b0:  handler b1(%2)\n"
            "  %0 = const 3  ; 4:9\n"
            "  %1 = call self(%0, *rest, k=%0)\n"
            "  branch %1 ? b1 : b1\n"
            "b1:\n"
            "  %0, *%1 = unpack %1\n"
            "  return %1\n");
}

TEST(ProgramPrint, MarkersOfTheSignatureAreShown) {
  Function f;
  f.qualified_name = "f";
  f.is_generator = true;
  const RegisterId a = add_register(f, "a");
  f.parameters = {{"a", ParameterKind::PositionalOnly, a}, {"k", ParameterKind::KeywordOnly, a}};
  add_block(f, {}, Return{a});
  EXPECT_EQ(to_string(f), "generator f(a, /, *, k):\nb0:\n  return a\n");
}

}  // namespace
}  // namespace dycl::program
