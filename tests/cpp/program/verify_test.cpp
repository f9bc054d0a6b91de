// SPDX-License-Identifier: Apache-2.0
#include "program/verify.h"

#include <gmock/gmock.h>

#include "program/functions.h"

namespace dycl::program {
namespace {

using testing::HasSubstr;

Function sound() {
  Function f;
  f.qualified_name = "f";
  const RegisterId x = add_parameter(f, "x");
  add_register(f, "c", RegisterKind::Cell);
  add_block(f, {add(x, x, x)}, Return{x});
  return f;
}

std::string complaint(const Function& function) {
  const Status status = verify(function);
  return status ? "" : status.error().message;
}

TEST(ProgramVerify, ASoundFunctionPasses) { EXPECT_EQ(complaint(sound()), ""); }

TEST(ProgramVerify, AFunctionWithoutBlocksIsRefused) {
  Function f = sound();
  f.blocks.clear();
  EXPECT_THAT(complaint(f), HasSubstr("no blocks"));
}

TEST(ProgramVerify, ATargetOutOfRangeIsRefused) {
  Function f = sound();
  f.blocks[0].terminator = Jump{BlockId(5)};
  EXPECT_THAT(complaint(f), HasSubstr("b0: a target is out of range"));
}

TEST(ProgramVerify, AWrongNumberOfOperandsIsRefused) {
  Function f = sound();
  f.blocks[0].instructions[0].operands.pop_back();
  EXPECT_THAT(complaint(f), HasSubstr("binary has a wrong number of operands"));
}

TEST(ProgramVerify, ACellIsReadByCellInstructionsOnly) {
  Function f = sound();
  f.blocks[0].instructions[0].operands[0] = RegisterId(1);
  EXPECT_THAT(complaint(f), HasSubstr("binary reads the cell c"));
  f.blocks[0].instructions[0] = {.op = Op::LoadCell, .result = RegisterId(0), .operands = {RegisterId(0)}};
  EXPECT_THAT(complaint(f), HasSubstr("load_cell needs a cell"));
}

TEST(ProgramVerify, AConstantOutOfRangeIsRefused) {
  Function f = sound();
  f.blocks[0].instructions[0] = {.op = Op::Const, .result = RegisterId(0), .index = 2};
  EXPECT_THAT(complaint(f), HasSubstr("a constant is out of range"));
}

TEST(ProgramVerify, AnArgumentWithoutATagIsRefused) {
  Function f = sound();
  f.blocks[0].instructions[0] = {.op = Op::Call, .operands = {RegisterId(0), RegisterId(0)}};
  EXPECT_THAT(complaint(f), HasSubstr("call has a wrong number of tagged arguments"));
}

TEST(ProgramVerify, ARegisterOutOfRangeIsRefused) {
  Function f = sound();
  f.blocks[0].terminator = Return{RegisterId(9)};
  EXPECT_THAT(complaint(f), HasSubstr("the terminator reads a register out of range"));
}

}  // namespace
}  // namespace dycl::program
