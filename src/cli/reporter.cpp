// SPDX-License-Identifier: Apache-2.0
#include "cli/reporter.h"

#include <fmt/format.h>

#include <algorithm>

namespace dycl::cli {
namespace {

constexpr std::string_view kRed = "31";
constexpr std::string_view kDim = "2";

std::string heading(pipeline::Phase phase) {
  const auto phases = pipeline::phases_from(pipeline::Phase::ImportOnnx);
  const auto position = std::ranges::find(phases, phase) - phases.begin();
  return fmt::format("[{}/{}] {}", position + 1, phases.size(), pipeline::name_of(phase));
}

std::string detail(const pipeline::Progress& progress) {
  std::string text;
  if (progress.total > 0)
    text = fmt::format(" {}/{}", progress.done, progress.total);
  else if (progress.done > 0)
    text = fmt::format(" {}", progress.done);
  if (!progress.what.empty()) text += " " + progress.what;
  return text;
}

}  // namespace

std::string Reporter::painted(std::string_view text, std::string_view code) const {
  return options_.colour ? fmt::format("\033[{}m{}\033[0m", code, text) : std::string(text);
}

void Reporter::progress(const pipeline::Progress& progress) {
  if (options_.verbosity == Verbosity::Quiet) return;
  if (options_.terminal)
    redraw(progress);
  else
    print_plain(progress);
  phase_ = progress.phase;
  any_phase_ = true;
}

void Reporter::redraw(const pipeline::Progress& progress) {
  if (line_open_ && progress.phase != phase_) stream_ << "\n";
  stream_ << "\r\033[K" << heading(progress.phase) << painted(detail(progress), kDim) << std::flush;
  line_open_ = true;
}

void Reporter::print_plain(const pipeline::Progress& progress) {
  if (!any_phase_ || progress.phase != phase_)
    stream_ << heading(progress.phase) << ": " << pipeline::description_of(progress.phase) << std::endl;
  const bool is_step = progress.done > 0 || progress.total > 0;  // rather than the beginning of a phase
  if (options_.verbosity == Verbosity::Verbose && is_step) stream_ << " " << detail(progress) << std::endl;
}

void Reporter::finish_progress() {
  if (line_open_) stream_ << std::endl;
  line_open_ = false;
}

void Reporter::note(std::string_view text) {
  finish_progress();
  if (options_.verbosity != Verbosity::Quiet) stream_ << text << std::endl;
}

void Reporter::verbose(std::string_view text) {
  if (options_.verbosity == Verbosity::Verbose) note(text);
}

void Reporter::error(const Diagnostic& diagnostic) {
  finish_progress();
  stream_ << painted("error:", kRed) << " " << to_string(diagnostic) << std::endl;
}

}  // namespace dycl::cli
