// SPDX-License-Identifier: Apache-2.0
// Shows a person what a command does: phases, notes and errors, all on stderr.
#pragma once

#include <ostream>
#include <string>
#include <string_view>

#include "base/diagnostic.h"
#include "pipeline/phase.h"

namespace dycl::cli {

enum class Verbosity { Quiet, Normal, Verbose };

struct ReporterOptions {
  Verbosity verbosity = Verbosity::Normal;
  bool terminal = false;
  bool colour = false;
};

class Reporter {
 public:
  Reporter(std::ostream& stream, ReporterOptions options) : stream_(stream), options_(options) {}

  // Shows one line per phase that redraws itself on a terminal; otherwise prints one plain line when a phase
  // begins (and one per step if verbose).
  void progress(const pipeline::Progress& progress);
  void finish_progress();

  void note(std::string_view text);     // prints unless quiet
  void verbose(std::string_view text);  // prints only if verbose
  void error(const Diagnostic& diagnostic);

 private:
  [[nodiscard]] std::string painted(std::string_view text, std::string_view code) const;
  void redraw(const pipeline::Progress& progress);
  void print_plain(const pipeline::Progress& progress);

  std::ostream& stream_;
  ReporterOptions options_;
  bool line_open_ = false;
  bool any_phase_ = false;
  pipeline::Phase phase_ = pipeline::Phase::ImportOnnx;
};

}  // namespace dycl::cli
