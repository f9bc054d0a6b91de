// SPDX-License-Identifier: Apache-2.0
// Captions pictures with the package that captioner.py compiled, without Python and PyTorch.
#include <dycl/dycl.hpp>

#include <cstdint>
#include <exception>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

// Reads a binary PPM picture into the layout that the model takes: channels first, values from 0 to 1.
dycl::Value read_picture(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string format;
  std::int64_t width = 0, height = 0, brightest = 0;
  file >> format >> width >> height >> brightest;
  if (!file || format != "P6" || brightest != 255) throw std::runtime_error(path + " is not a PPM picture");
  file.get();  // the line's end
  const std::int64_t pixels = width * height;
  std::vector<float> planes(static_cast<std::size_t>(3 * pixels));
  for (std::int64_t pixel = 0; pixel < pixels; ++pixel)
    for (std::int64_t channel = 0; channel < 3; ++channel)
      planes[static_cast<std::size_t>(channel * pixels + pixel)] = static_cast<float>(file.get()) / 255.0F;
  if (!file) throw std::runtime_error(path + " ends too early");
  return dycl::Value::own(std::move(planes), {1, 3, height, width});
}

std::vector<std::string> read_words(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> words;
  for (std::string word; file >> word;) words.push_back(word);
  return words;
}

int main(int argc, char** argv) {
  if (argc < 3) {
    std::cerr << "usage: captioner FOLDER_OF_ONNX_RUNTIME PICTURE.ppm…\n";
    return 2;
  }
  try {
    dycl::RuntimeOptions options;
    options.vendor_folders = {argv[1]};
    dycl::Runtime runtime(options);
    const dycl::Program program = runtime.load("captioner.dycl");
    const std::vector<std::string> words = read_words("words.txt");

    dycl::Session session(program);
    for (int index = 2; index < argc; ++index) {
      std::vector<dycl::Value> inputs;
      inputs.push_back(read_picture(argv[index]));
      const std::vector<dycl::Output> outputs = session.run_named(inputs);

      const dycl::Value& caption = outputs[0].value;  // its length differs from picture to picture
      const std::int64_t* word = caption.data<std::int64_t>();
      std::cout << argv[index] << ':';
      for (std::size_t place = 0; place < caption.count(); ++place) std::cout << ' ' << words.at(word[place]);
      std::cout << '\n';
    }
  } catch (const std::exception& error) {  // the text of dycl::Error says what is wrong and what would help
    std::cerr << error.what() << '\n';
    return 1;
  }
}
