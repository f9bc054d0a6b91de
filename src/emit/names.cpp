// SPDX-License-Identifier: Apache-2.0
#include "emit/names.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

namespace dycl::emit {
namespace {

constexpr std::string_view kKeywords =
    " alignas alignof and and_eq asm atomic_cancel atomic_commit atomic_noexcept auto bitand bitor bool "
    "break case "
    "catch char char8_t char16_t char32_t class co_await co_return co_yield compl concept const const_cast "
    "consteval "
    "constexpr constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern "
    "false float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr "
    "operator or "
    "or_eq private protected public reflexpr register reinterpret_cast requires restrict return short signed "
    "sizeof "
    "static static_assert static_cast struct switch synchronized template this thread_local throw true try "
    "typedef "
    "typeid typename typeof union unsigned using virtual void volatile wchar_t while xor xor_eq ";

// Macros and types that headers of C bring along, as far as they are not all capitals.
constexpr std::string_view kOfTheSystem =
    " assert complex errno imaginary int8_t int16_t int32_t int64_t intmax_t intptr_t linux main "
    "math_errhandling noreturn "
    "offsetof printf ptrdiff_t setjmp size_t ssize_t std stderr stdin stdout uint8_t uint16_t uint32_t "
    "uint64_t "
    "uintmax_t uintptr_t unix ";

// What emitted programs call their own.
constexpr std::string_view kOfTheProgram =
    " Error Program Session arena at begin_inputs body call check dycl emitted fail_here forget former "
    "guarded "
    "input_count inputs keep kept last_failure last_text limit_trips made memory next_trip other_than "
    "outside place py "
    "require require_outside reset result result_of results room run run_body run_site run_site_of_values "
    "session "
    "settings_of take views watch weight write_back ";

// Headers that a program's own header would hide.
constexpr std::string_view kHeaders =
    " aio alloca assert byteswap complex cpio ctype dirent dlfcn elf endian err errno error execinfo fcntl "
    "features fenv "
    "float fnmatch ftw getopt glob grp iconv ifaddrs inttypes iso646 langinfo libgen libintl limits link "
    "locale malloc "
    "math memory mntent monetary mqueue ndbm netdb nl_types obstack paths poll printf pthread pty pwd regex "
    "resolv sched "
    "search semaphore setjmp shadow signal spawn stdalign stdarg stdatomic stdbool stdc stddef stdint stdio "
    "stdlib "
    "stdnoreturn string strings stropts syslog tar termios tgmath threads time uchar ucontext ulimit unistd "
    "utime utmp "
    "utmpx values wait wchar wctype wordexp dycl dycl_test ";

bool is_in(std::string_view list, const std::string& word) {
  return list.find(" " + word + " ") != std::string_view::npos;
}

// Macros are capitals by custom: NULL, EOF, INT64_MAX.
bool may_be_macro(const std::string& word) {
  return word.size() > 1 && std::ranges::none_of(word, [](unsigned char c) { return std::islower(c) != 0; });
}

// Constants of the program: kTypes, kWeb0.
bool may_be_constant(const std::string& word) {
  return word.size() > 1 && word[0] == 'k' && std::isupper(static_cast<unsigned char>(word[1])) != 0;
}

class Namer {
 public:
  explicit Namer(std::string program) : prefix_(std::move(program) + "_") {}

  std::string name(const std::string& wanted) {
    const bool is_ours = is_in(kOfTheProgram, wanted) || wanted.starts_with(prefix_);
    const std::string word = is_ours ? "v_" + wanted : wanted;
    std::string unique = word;
    for (std::size_t& next = next_[word]; !taken_.insert(unique).second; ++next)
      unique = word + "_" + std::to_string(next + 2);
    return unique;
  }

 private:
  std::string prefix_;
  std::set<std::string> taken_;
  std::map<std::string, std::size_t> next_;
};

}  // namespace

std::string as_word(const std::string& text) {
  std::string word = text;
  std::ranges::replace_if(word, [](unsigned char c) { return c >= 0x80 || std::isalnum(c) == 0; }, '_');
  while (!word.empty() && word.back() == '_') word.pop_back();
  if (word.empty() || std::isalpha(static_cast<unsigned char>(word[0])) == 0) word.insert(0, "v");
  const bool is_other = is_in(kKeywords, word) || is_in(kOfTheSystem, word) || may_be_macro(word);
  return is_other || may_be_constant(word) ? "v_" + word : word;
}

std::string as_program_name(const std::string& text) {
  std::string word = as_word(text);
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return is_in(kHeaders, word) || word.starts_with("dycl_") ? "net_" + word : word;
}

Names name_all(const HostPlan& plan, const std::string& program) {
  Names names;
  Namer namer(program);
  names.slots.resize(plan.slots.size());
  for (const PlanPort& port : plan.inputs)
    if (names.slots[port.slot].empty()) names.slots[port.slot] = namer.name(as_word(port.name));
  for (const PlanSymbol& symbol : plan.symbols)
    names.sizes.push_back(namer.name("size_" + as_word(symbol.name)));
  for (const PlanSubnet& subnet : plan.subnets) names.subnets.push_back(namer.name(as_word(subnet.name)));
  for (SlotIndex slot = 0; slot < plan.slots.size(); ++slot) {
    if (!names.slots[slot].empty()) continue;
    const std::string known = plan.names.empty() ? "" : plan.names[slot];
    const char* kind = plan.slots[slot].tensor() != nullptr ? "tensor" : "number";
    names.slots[slot] = namer.name(known.empty() ? kind : as_word(known));
  }
  return names;
}

std::string comment_text(const std::string& text) {
  constexpr std::string_view kPlain = " !\"#$%&'()+,-./:;<=>@[]^_`{|}~";
  std::string plain = text;
  std::ranges::replace_if(
      plain,
      [&](unsigned char c) {
        return c >= 0x80 ||
               (std::isalnum(c) == 0 && kPlain.find(static_cast<char>(c)) == std::string_view::npos);
      },
      '.');
  return plain;
}

}  // namespace dycl::emit
