// SPDX-License-Identifier: Apache-2.0
#include "program/liveness.h"

#include <gmock/gmock.h>

#include "program/functions.h"

namespace dycl::program {
namespace {

using testing::ElementsAre;

TEST(Liveness, AValueIsLiveFromItsDefinitionToItsLastUse) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  const RegisterId y = add_register(f, "y");
  const RegisterId z = add_register(f, "z");
  add_block(f, {add(y, x, x), add(z, y, x), move(x, z)}, Return{z});
  const Liveness live(f);
  EXPECT_THAT(live.at_entry(BlockId(0)), ElementsAre(x));
  EXPECT_THAT(live.before(BlockId(0), 1), ElementsAre(x, y));
  EXPECT_THAT(live.before(BlockId(0), 2), ElementsAre(z));
  EXPECT_THAT(live.before(BlockId(0), 3), ElementsAre(z));
}

// while x: acc = acc + step; return acc
TEST(Liveness, WhatTheNextRoundReadsIsLiveAroundTheLoop) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  const RegisterId acc = add_parameter(f, "acc");
  const RegisterId step = add_parameter(f, "step");
  add_block(f, {}, Branch{x, BlockId(1), BlockId(2)});
  add_block(f, {add(acc, acc, step)}, Jump{BlockId(0)});
  add_block(f, {}, Return{acc});
  const Liveness live(f);
  EXPECT_THAT(live.at_entry(BlockId(0)), ElementsAre(x, acc, step));
  EXPECT_THAT(live.before(BlockId(1), 1), ElementsAre(x, acc, step));
  EXPECT_THAT(live.at_entry(BlockId(2)), ElementsAre(acc));
}

TEST(Liveness, TheElementOfALoopIsDeadBeforeItAndOnItsExit) {
  Function f;
  const RegisterId it = add_parameter(f, "it");
  const RegisterId v = add_register(f, "v");
  const RegisterId sum = add_parameter(f, "sum");
  add_block(f, {}, ForNext{it, v, BlockId(1), BlockId(2)});
  add_block(f, {add(sum, sum, v)}, Jump{BlockId(0)});
  add_block(f, {}, Return{sum});
  const Liveness live(f);
  EXPECT_THAT(live.at_entry(BlockId(0)), ElementsAre(it, sum));
  EXPECT_THAT(live.at_entry(BlockId(1)), ElementsAre(it, v, sum));
}

TEST(Liveness, ALoopVariableReadBehindTheLoopIsLiveOnTheWayOut) {
  Function f;
  const RegisterId it = add_parameter(f, "it");
  const RegisterId v = add_parameter(f, "v");
  add_block(f, {}, ForNext{it, v, BlockId(0), BlockId(1)});
  add_block(f, {}, Return{v});
  EXPECT_THAT(Liveness(f).at_entry(BlockId(0)), ElementsAre(it, v));
}

// try: y = x + x; y = y + y  except e: return old — the old value may still be needed at every addition.
TEST(Liveness, WhatTheHandlerReadsIsLiveWhereverSomethingMayRaise) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  const RegisterId y = add_parameter(f, "y");
  const RegisterId error = add_register(f, "e");
  add_block(f, {add(y, x, x), move(x, y)}, Return{x});
  add_block(f, {add(y, y, error)}, Return{y});
  f.blocks[0].handler = Handler{BlockId(1), error};
  const Liveness live(f);
  EXPECT_THAT(live.at_entry(BlockId(0)), ElementsAre(x, y)) << "y survives if the addition raises";
  EXPECT_THAT(live.at_entry(BlockId(1)), ElementsAre(y, error));
}

TEST(Liveness, ACellStaysLiveAcrossStoresUntilItsLastUse) {
  Function f;
  const RegisterId x = add_parameter(f, "x");
  const RegisterId cell = add_register(f, "c", RegisterKind::Cell);
  add_block(f,
            {{.op = Op::StoreCell, .operands = {cell, x}},
             {.op = Op::StoreCell, .operands = {cell, x}},
             {.op = Op::LoadCell, .result = x, .operands = {cell}}},
            Return{x});
  const Liveness live(f);
  EXPECT_THAT(live.at_entry(BlockId(0)), ElementsAre(x, cell));
  EXPECT_THAT(live.before(BlockId(0), 2), ElementsAre(cell));
  EXPECT_THAT(live.before(BlockId(0), 3), ElementsAre(x));
}

}  // namespace
}  // namespace dycl::program
