#include "result.hpp"

#include <fmt/format.h>

#include <utility>

#include "outputs.hpp"
#include "tenfold/io.hpp"

namespace tenfold::cli {
namespace {

void print_result(const Common& common, const std::string& output, Json head,
                  const Tensor& result) {
  if (common.json) {
    const Json tensor = to_json(result);
    head["dtype"] = tensor["dtype"];
    head["shape"] = tensor["shape"];
    if (output.empty()) {
      head["data"] = tensor["data"];
    } else {
      head["file"] = output;
    }
    print(dump(head));
  } else if (output.empty()) {
    print(fmt::format("{}\n{}\n", describe(result), to_text(result)));
  } else if (!common.quiet && output != "-") {
    print(fmt::format("wrote {}: {}\n", output, describe(result)));
  }
}

}  // namespace

void check_result_options(const std::string& command, const std::string& output, bool json) {
  if (output == "-" && json) {
    throw usage_error(command, "--json and -o - both want standard output");
  }
  if (!output.empty() && output != "-" && !has_format(output)) {
    throw usage_error("-o", "the suffix names no format",
                      ".npy, .npz, .pb, .safetensors, .raw or .bin", "'" + output + "'");
  }
}

void deliver_result(const Common& common, const std::string& output, Json head,
                    const std::function<Tensor(Progress&)>& compute) {
  Tensor result;
  OutputFiles files;
  {
    Progress progress(common.quiet);
    result = compute(progress);
    if (!output.empty() && output != "-") {
      progress.stage("writing " + output);
      files.write(output, result);
    }
  }
  files.commit();
  if (output == "-") io::save("-", result);
  print_result(common, output, std::move(head), result);
}

}  // namespace tenfold::cli
