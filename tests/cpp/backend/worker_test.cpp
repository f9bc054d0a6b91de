// SPDX-License-Identifier: Apache-2.0
#include "common/worker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <csignal>
#include <set>
#include <thread>

#include "temporary_folder.h"

namespace dycl::plugin {
namespace {

using Json = nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;

WorkerSettings settings() {
  WorkerSettings settings{"testing", "misbehaving_worker", {}};
  settings.interpreter = DYCL_TEST_PYTHON;
  settings.environment = {std::string("PYTHONPATH=") + DYCL_TEST_WORKERS};
  return settings;
}

Diagnostic error_of(const WorkerPool& pool, const std::string& question) {
  auto answer = pool.ask(question, Json::object());
  if (!answer) return answer.error();
  ADD_FAILURE() << question << " was answered";
  return {};
}

TEST(Workers, AnswerWithJsonAndBytes) {
  const WorkerPool pool(settings());
  const std::string large(3'000'000, 'x');
  const std::string zeros("a\0b", 3);
  auto answer = pool.ask("echo", {{"text", "ü"}}, std::array<std::string_view, 3>{"", zeros, large});
  ASSERT_TRUE(answer) << to_string(answer.error());
  EXPECT_EQ(answer->json["text"], "ü");
  EXPECT_THAT(answer->parts, ElementsAre("", std::string("b\0a", 3), large));
}

TEST(Workers, AnswerManyQuestionsInOneProcess) {
  const WorkerPool pool(settings());
  std::set<int> processes;
  for (int time = 0; time < 20; ++time)
    processes.insert(pool.ask("echo", Json::object()).value().json["pid"].get<int>());
  EXPECT_EQ(processes.size(), 1U);
}

TEST(Workers, ReportProgress) {
  const WorkerPool pool(settings());
  std::vector<std::string> lines;
  ASSERT_TRUE(pool.ask("count", {{"to", 3}}, {}, [&](const std::string& line) { lines.push_back(line); }));
  EXPECT_THAT(lines, ElementsAre("1 of 3", "2 of 3", "3 of 3"));
}

TEST(Workers, FailInTheirOwnWords) {
  const WorkerPool pool(settings());
  const Diagnostic error = error_of(pool, "fail");
  EXPECT_EQ(error.code, "test.cannot");
  EXPECT_EQ(error.message, "it cannot be done");
  EXPECT_EQ(error.hint, "do something else");
}

TEST(Workers, TurnExceptionsIntoOneLine) {
  const WorkerPool pool(settings());
  const Diagnostic error = error_of(pool, "throw");
  EXPECT_EQ(error.code, "worker.exception");
  EXPECT_EQ(error.message, "ValueError: first line");
  EXPECT_EQ(error_of(pool, "sing").code, "worker.unknown_question");
}

TEST(Workers, MayDieAndAreStartedAgain) {
  const WorkerPool pool(settings());
  const Diagnostic died = error_of(pool, "die");
  EXPECT_EQ(died.code, "worker.died");
  EXPECT_THAT(died.message, HasSubstr("died with SIGSEGV: the last words (asked to die)"));
  EXPECT_THAT(error_of(pool, "leave").message, HasSubstr("ended with code 3"));
  EXPECT_TRUE(pool.ask("echo", Json::object()));
}

TEST(Workers, ThatWereKilledInTheirSleepAreReported) {
  const WorkerPool pool(settings());
  kill(pool.ask("echo", Json::object()).value().json["pid"].get<int>(), SIGKILL);
  EXPECT_THAT(error_of(pool, "echo").message, HasSubstr("died with SIGKILL"));
  EXPECT_TRUE(pool.ask("echo", Json::object()));
}

TEST(Workers, AreEndedAtTheLimit) {
  WorkerSettings impatient = settings();
  impatient.limit = std::chrono::seconds(1);
  const WorkerPool pool(impatient);
  EXPECT_EQ(error_of(pool, "hang").code, "worker.too_slow");
  EXPECT_TRUE(pool.ask("echo", Json::object()));
}

TEST(Workers, WorkSideBySideUpToTheirNumber) {
  WorkerSettings two = settings();
  two.processes = 2;
  const WorkerPool pool(two);
  std::array<int, 4> processes{};
  std::vector<std::thread> threads;
  for (int& process : processes)
    threads.emplace_back([&] { process = pool.ask("nap", Json::object()).value().json["pid"].get<int>(); });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(std::set<int>(processes.begin(), processes.end()).size(), 2U);
}

TEST(Workers, EndWithTheirPool) {
  int process = 0;
  {
    const WorkerPool pool(settings());
    process = pool.ask("echo", Json::object()).value().json["pid"].get<int>();
    EXPECT_EQ(kill(process, 0), 0);
  }
  EXPECT_NE(kill(process, 0), 0);
}

TEST(Workers, ThatCannotStartAreErrors) {
  WorkerSettings missing = settings();
  missing.interpreter = "/nonexistent/python";
  EXPECT_EQ(error_of(WorkerPool(missing), "echo").code, "worker.cannot_start");
  WorkerSettings nameless = settings();
  nameless.package = "no_such_package";
  EXPECT_THAT(error_of(WorkerPool(nameless), "echo").message, HasSubstr("No module named no_such_package"));
}

TEST(Workers, RunInTheEnvironmentOfTheLibrary) {
  const test::TemporaryFolder folder;
  const auto library = folder.touch("venv/lib/python3/site-packages/vendor/libvendor.so");
  const auto python = folder.touch("venv/bin/python3");
  EXPECT_EQ(find_interpreter(library).value(), python);
}

}  // namespace
}  // namespace dycl::plugin
