// SPDX-License-Identifier: Apache-2.0
// Continues texts with a package that generate.py compiled, without Python, PyTorch and transformers.
#include <dycl/dycl.hpp>

#include <cstdint>
#include <exception>
#include <iostream>
#include <string>
#include <vector>

const std::string kLetters = ".abcdefghijklmnopqrstuvwxyz";

// Gives the numbers of the letters; what is no letter is left out.
dycl::Value numbers(const std::string& text) {
  std::vector<std::int64_t> tokens;
  for (const char letter : text)
    if (const std::size_t place = kLetters.find(letter); place != std::string::npos)
      tokens.push_back(static_cast<std::int64_t>(place));
  const auto length = static_cast<std::int64_t>(tokens.size());
  return dycl::Value::own(std::move(tokens), {1, length});
}

int main(int argc, char** argv) {
  if (argc < 4) {
    std::cerr << "usage: generate FOLDER_OF_ONNX_RUNTIME PACKAGE.dycl PROMPT…\n";
    return 2;
  }
  try {
    dycl::RuntimeOptions options;
    options.vendor_folders = {argv[1]};
    dycl::Runtime runtime(options);
    const dycl::Program program = runtime.load(argv[2]);
    dycl::Session session(program);  // one for each thread; the keys and values live in it

    for (int index = 3; index < argc; ++index) {
      std::vector<dycl::Value> inputs;
      inputs.push_back(numbers(argv[index]));
      const std::vector<dycl::Output> outputs = session.run_named(inputs);
      const dycl::Value& tokens = outputs[0].value;  // as many as the model said before its full stop
      for (std::size_t place = 0; place < tokens.count(); ++place)
        std::cout << kLetters.at(static_cast<std::size_t>(tokens.data<std::int64_t>()[place]));
      std::cout << '\n';
    }
  } catch (const std::exception& error) {  // the text of dycl::Error says what is wrong and what would help
    std::cerr << error.what() << '\n';
    return 1;
  }
}
