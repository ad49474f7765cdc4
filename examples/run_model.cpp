// Loads a model file (ONNX or OpenVINO IR), runs it on tensor files, writes every output as .npy.
//
//     run_model MODEL FOLDER NAME=FILE...
#include <cstdio>
#include <map>
#include <string>

#include "tenfold/tenfold.hpp"

int main(int argc, char** argv) try {
  if (argc < 3) {
    throw tenfold::Error(tenfold::ErrorCode::kBadArgument, "run_model", "too few arguments",
                         "MODEL FOLDER NAME=FILE...");
  }
  const auto graph = tenfold::Graph::load(argv[1]);

  std::map<std::string, tenfold::Tensor> tensors;
  for (int i = 3; i < argc; ++i) {
    const std::string argument = argv[i];
    const auto equals = argument.find('=');
    if (equals == std::string::npos) {
      throw tenfold::Error(tenfold::ErrorCode::kBadArgument, "run_model", "an input without a name",
                           "NAME=FILE", argument);
    }
    tensors.emplace(argument.substr(0, equals), tenfold::io::load(argument.substr(equals + 1)));
  }

  tenfold::Graph::Inputs inputs;
  for (const auto& [name, tensor] : tensors) inputs.emplace(name, tensor.view());
  for (const auto& [name, tensor] : graph.run(inputs)) {
    const std::string file = std::string(argv[2]) + "/" + name + ".npy";
    tenfold::io::save(file, tensor);
    std::printf("%s: %s %s\n", name.c_str(), std::string(name_of(tensor.dtype())).c_str(),
                to_string(tensor.shape()).c_str());
  }
} catch (const tenfold::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
