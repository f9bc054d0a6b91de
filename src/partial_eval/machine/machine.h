// SPDX-License-Identifier: Apache-2.0
// The abstract machine: runs a Python program on values of which only a part is known, and writes what
// depends on the input into an HCFG. docs/concepts/rewriting.md tells the rules.
#pragma once

#include <array>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "hcfg/hcfg.h"
#include "partial_eval/machine/builtins.h"
#include "partial_eval/machine/decision.h"
#include "partial_eval/machine/emitter.h"
#include "partial_eval/machine/marks.h"
#include "partial_eval/machine/options.h"
#include "partial_eval/machine/torch_bridge.h"
#include "partial_eval/values/outcome.h"
#include "partial_eval/values/plain_constants.h"

namespace dycl::partial_eval {

// The diagnostic at the innermost position of the stack, with its callers as notes.
Diagnostic placed(Diagnostic diagnostic, std::span<const SourceSpan> stack);
void add_callers(Diagnostic& diagnostic, std::span<const SourceSpan> callers);

// What `explain` and `inspect` tell of the program, and how its paths end.
struct Findings {
  std::vector<Decision> decisions;  // in order of discovery
  std::vector<Fact> facts;          // each place and answer once
  nb::list context_reads;           // (variable, whether get() was given a default, tuple of what it had)
  std::vector<LeavingException> raises;
  std::size_t returns = 0;            // places where a path ends well
  std::vector<Diagnostic> obstacles;  // what is refused, where the machine goes on behind it
  std::vector<std::string> warnings;  // print and logging that were dropped, attributes that were not set
};

// A tensor known at compile time that the program itself has made.
struct MadeTensor {
  std::string maker;         // the place that made it
  std::int64_t storage = 0;  // the tensors that share its memory have the same number here
  bool in_cycle = false;     // each trip makes one
};

// Who owns the live objects, which decides what may be written to.
struct Ownership {
  // Tensors, arrays and containers made by the program itself, known at compile time: these may be written
  // to.
  LiveSet created;
  LiveTable<MadeTensor> made_tensors;  // those of them that are tensors
  std::size_t cycles = 0;              // that the path in hand goes round
  LiveSet made_layers;                 // by this call: the next one makes others
  // Live arrays whose memory something else shares: they are not written to.
  LiveSet viewed;
  // What calls of functions with an lru_cache gave: whether two of them are one object is not known.
  LiveSet cached;
  std::set<HeapId> cached_made;
  // The lists, dicts and the like among the arguments that hold no tensor, with their numbers.
  LiveTable<std::size_t> callers_objects;
};

// A list, dict or object of the caller's, if the program writes to such ones.
struct GivenContainer {
  std::string path;
  ResultNode contents;  // when the call begins
};

// The tensors among the inputs, and what of them decides something, so that each call must have it as the
// example had.
struct InputTensors {
  std::vector<ObjectRef> objects;             // one per input tensor, in order
  std::vector<std::size_t> numbers;           // of their nodes (border/inputs.h), likewise
  std::map<StorageId, std::int64_t> offsets;  // of the example, by storage
  std::vector<bool> gradients;                // requires_grad of the example, one per input tensor
  std::vector<bool> parameters;               // likewise, whether it is a torch.nn.Parameter
  std::vector<nb::object> own_attributes;     // likewise, its __dict__; invalid where it has none
  std::map<std::size_t, SymbolId> sizes;      // those that the caller declared, by the number of their symbol
  bool layout_read = false;                   // strides decide
  bool layout_used = false;                   // strides decide, but for sizes of 1
  bool offset_read = false;                   // where in their memory they begin decides
  bool gradients_read = false;                // requires_grad decides
  bool parameters_read = false;               // whether they are parameters decides
  bool attributes_read = false;               // that they have no attributes of their own decides
  std::map<std::size_t, GivenContainer> containers;  // by number
};

// An input of the graph whose rows are base draws for one line.
struct DrawInput {
  DrawKey key;
  std::string name;
  SpecPtr element;  // of one row
  Type row;
  ValueId value;
  std::uint32_t port = 0;  // number of the input
};

// Names that no attribute has: all attributes at once (`__dict__`), all that a list, dict, set or deque
// holds, the variable that a cell of a closure holds, and the tables of a layer: "<_modules>",
// "<_parameters>",
// "<_buffers>".
inline constexpr const char* kAllAttributes = "<attributes>";
inline constexpr const char* kHeld = "<held>";
inline constexpr const char* kCellContents = "<variable>";
inline constexpr std::array kModuleTables{"_parameters", "_buffers", "_modules"};
inline std::string key_of_table(std::string_view table) { return "<" + std::string(table) + ">"; }

// A variant of what the model holds, as a call begins with it: what its slots hold, and the inputs that the
// values in it come from.
struct Begin {
  State state;
  std::map<ValueId, std::uint32_t> ports;
};

// What of the model lives from one call to the next.
struct AcrossCalls {
  nb::object model;  // what is compiled
  // Attributes of live objects that were read, and those that the program leaves written.
  std::map<AttributeKey, std::vector<SourceSpan>> live_reads;
  std::map<AttributeKey, LeftWritten> left_written;
  // The memory of tensors that the program writes to and keeps; null: there are none.
  std::shared_ptr<const WatchedMemory> watched;
  // Dicts of attributes and tables of layers that some path has in its hands.
  LiveSet shown_dicts;
  // The places where the containers that exist before the call are written first.
  std::map<PyObject*, std::vector<SourceSpan>> first_writes;

  // explore/calls.h keeps here how calls begin, one per variant, the input that tells which, and what this
  // evaluation makes of the variants.
  std::vector<Begin> begins;
  std::uint32_t variant_port = 0;
  std::vector<State> grown;
  bool has_grown = false;
  std::vector<SourceSpan> grown_at;  // where a call ends that leaves what is new
  // `has_written` is called where a path raises, and says whether the path has written state. `leave` is
  // called where a path returns, and adds what the path leaves, by the numbers of inputs.
  std::function<bool(const State& state)> has_written;
  std::function<void(State& state, std::map<std::uint32_t, ValueId>& written)> leave;
};

class Machine {
 public:
  Machine(TorchBridge& torch, import_python::SourceLibrary& sources, const Options& options, Marks& marks,
          const Builtins& builtins, FragmentMaker make_fragment);

  // What the machine works with, and lives as long as it or longer.
  TorchBridge& torch;
  import_python::SourceLibrary& sources;
  const Options& options;
  Marks& marks;
  const Builtins& builtins;

  // What it writes: the HCFG, and the constants that lists of the HCFG have places of.
  Emitter emitter;
  PlainConstants constants;

  // What it notes on the way, about all paths.
  Findings found;
  Ownership ownership;
  InputTensors inputs;
  AcrossCalls across_calls;
  std::vector<DrawInput> draws;

  // The position of the instruction that the state is at, innermost first.
  [[nodiscard]] std::vector<SourceSpan> spans(const State& state) const;
  SourceId source(const State& state);
  [[nodiscard]] std::string place_text(const State& state) const;  // "model.py:12:4"

  // Refuses the construct at the state's position.
  [[noreturn]] void refuse(const State& state, std::string code, std::string message,
                           std::string hint = {}) const;

  // Something of DyCL's own failed here: it must not become what the program raises.
  [[noreturn]] void refuse_failure(const State& state, const nb::python_error& error) const;

  // A list, dict or object that the caller passed in is written. Throws Restart where that is news: the
  // next attempt follows them.
  [[noreturn]] void write_to_caller(const State& state);

  // Pushes a frame for a call of lowered code whose parameters are bound already.
  void push(State& state, Frame frame) const;

  // A bool that depends on the input: the truth that the path knows, or the same scalar.
  [[nodiscard]] AbstractValue refined(const State& state, const AbstractValue& value) const;

  // Returns the live Python object if every part of the value is known; lists and dicts of the heap are
  // copied (reify.cpp).
  [[nodiscard]] std::optional<nb::object> reify(const State& state, const AbstractValue& value) const;

  // Does the same for something that must be known. `what` completes "… must be known at compile time".
  // Throws Restart if a meeting gave it up, Split for a bool, else Refused.
  [[nodiscard]] nb::object need(const State& state, const AbstractValue& value, const std::string& what,
                                const std::string& hint =
                                    "compute it from shapes, attributes or constants, or "
                                    "branch on it with `if`") const;

  [[nodiscard]] Raised raise(nb::handle type, const std::string& message) const;
  void warn(const State& state, const std::string& message);
  // These remember where an exception was raised first, since `finally` and `with` raise it again.
  void note_raised(const State& state, const AbstractValue& exception);
  [[nodiscard]] std::vector<SourceSpan> raised_at(const State& state, const AbstractValue& exception) const;
  // `answer` is what the program is compiled for; shown as repr() shows it.
  void note_fact(const State& state, const std::string& question, const nb::object& answer);

 private:
  std::map<std::pair<std::string, SourceId>, SourceId> source_ids_;
  std::vector<nb::object> raised_;  // addresses below stay taken
  std::map<PyObject*, std::vector<SourceSpan>> raised_live_;
  std::map<HeapId, std::vector<SourceSpan>> raised_made_;
};

}  // namespace dycl::partial_eval
