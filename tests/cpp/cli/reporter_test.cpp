// SPDX-License-Identifier: Apache-2.0
#include "cli/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

namespace dycl::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

void report_a_compilation(Reporter& reporter) {
  reporter.progress({pipeline::Phase::ImportOnnx, 0, 0, "reading"});
  reporter.progress({pipeline::Phase::CompileSubnets, 1, 2, "sub-DNN s0"});
  reporter.progress({pipeline::Phase::CompileSubnets, 2, 2, "sub-DNN s1"});
  reporter.finish_progress();
}

const std::string kImport = "[1/7] import_onnx: read the ONNX model and turn its control flow into blocks\n";
const std::string kCompile =
    "[6/7] compile_subnets: compile each distinct sub-DNN, and time those that several backends can run\n";

TEST(Reporter, PrintsOnePlainLinePerPhaseWhenNotOnATerminal) {
  std::ostringstream stream;
  Reporter reporter(stream, {Verbosity::Normal, false, false});
  report_a_compilation(reporter);
  EXPECT_EQ(stream.str(), kImport + kCompile);
}

TEST(Reporter, AddsAStepPerLineWhenVerbose) {
  std::ostringstream stream;
  Reporter reporter(stream, {Verbosity::Verbose, false, false});
  report_a_compilation(reporter);
  EXPECT_EQ(stream.str(), kImport + kCompile + "  1/2 sub-DNN s0\n  2/2 sub-DNN s1\n");
}

TEST(Reporter, RedrawsTheLineOfAPhaseOnATerminal) {
  std::ostringstream stream;
  Reporter reporter(stream, {Verbosity::Normal, true, false});
  report_a_compilation(reporter);
  EXPECT_EQ(stream.str(),
            "\r\033[K[1/7] import_onnx reading\n\r\033[K[6/7] compile_subnets 1/2 sub-DNN s0\r\033[K[6/7] "
            "compile_subnets "
            "2/2 sub-DNN s1\n");
}

TEST(Reporter, SaysNothingButErrorsWhenQuiet) {
  std::ostringstream stream;
  Reporter reporter(stream, {Verbosity::Quiet, true, false});
  report_a_compilation(reporter);
  reporter.note("wrote it");
  EXPECT_EQ(stream.str(), "");
  reporter.error({Blame::Usage, "a.code", "it is wrong", {}, "do it right"});
  EXPECT_EQ(stream.str(), "error: it is wrong [a.code]\n  hint: do it right\n");
}

TEST(Reporter, UsesColourOnlyWhenTold) {
  std::ostringstream plain;
  Reporter(plain, {Verbosity::Normal, true, false}).error({Blame::Usage, "", "x", {}, ""});
  EXPECT_THAT(plain.str(), Not(HasSubstr("\033[31m")));
  std::ostringstream coloured;
  Reporter(coloured, {Verbosity::Normal, true, true}).error({Blame::Usage, "", "x", {}, ""});
  EXPECT_THAT(coloured.str(), HasSubstr("\033[31merror:\033[0m"));
}

}  // namespace
}  // namespace dycl::cli
