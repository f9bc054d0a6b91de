// SPDX-License-Identifier: Apache-2.0
#include "package/verify_aten.h"

#include <set>
#include <string>

#include "package/json_reader.h"
#include "package/limits.h"

namespace dycl {
namespace {

class AtenReader {
 public:
  AtenReader(const JsonCursor& root, std::size_t weight_count) : root_(root), weight_count_(weight_count) {}

  void run() {
    root_.only_fields({"inputs", "outputs", "weights", "constants", "fragments", "calls"});
    define_all(root_.field("inputs"));
    const JsonCursor weights = root_.field("weights");
    if (weights.size() != weight_count_) weights.say("must name as many weights as the graph has");
    define_all(weights);
    root_.field("constants").each_member([&](const JsonCursor& constant) {
      constant.only_fields({"type", "hex"});
      static_cast<void>(constant.field("type").text() + constant.field("hex").text());
      define(constant, std::string(constant.key()));
    });
    root_.field("fragments").each([&](const JsonCursor& fragment) {
      if (!fragment.is_object()) fragment.say("must be objects");
      ++fragments_;
    });
    root_.field("calls").each([&](const JsonCursor& call) { read_call(call); });
    use_all(root_.field("outputs"));
  }

 private:
  void read_call(const JsonCursor& call) {
    call.only_fields({"fragment", "in", "out"});
    const JsonCursor fragment = call.field("fragment");
    if (fragment.index() >= fragments_) fragment.say("names a fragment that is not there");
    use_all(call.field("in"));
    define_all(call.field("out"));
  }

  void define(const JsonCursor& place, const std::string& name) {
    if (!known_.insert(name).second) place.say("defines a value twice");
  }
  void define_all(const JsonCursor& list) {
    list.each([&](const JsonCursor& name) {
      if (!name.is_null()) define(name, name.text());
    });
  }
  void use_all(const JsonCursor& list) {
    list.each([&](const JsonCursor& name) {
      if (!name.is_null() && !known_.contains(name.text())) name.say("names a value that is not known");
    });
  }

  const JsonCursor& root_;
  std::size_t weight_count_;
  std::size_t fragments_ = 0;
  std::set<std::string> known_;
};

}  // namespace

Status check_aten(std::string_view text, std::size_t weight_count) {
  auto document = parse_json(text, "aten.json", limits::kAtenBytes, JsonNulls::Allowed);
  if (!document) return failure_of(std::move(document));
  Complaint complaint("aten.json");
  const JsonCursor root(*document, "aten", complaint);
  AtenReader(root, weight_count).run();
  return complaint.status("package.bad_subnet");
}

}  // namespace dycl
