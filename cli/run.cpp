// `tenfold run`: a model file on tensor files.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>

#include "common.hpp"
#include "outputs.hpp"
#include "render.hpp"
#include "terminal.hpp"

namespace tenfold::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kRunExamples = R"(
MODEL is an ONNX model or an OpenVINO IR (.xml, with its .bin beside it); '-' reads a model from
standard input. FILE is .npy, .npz (file.npz:name for one of several), .pb (ONNX TensorProto) or
.safetensors; .raw and .bin take type and shape from the model. '-' reads an .npy from standard
input. Without -o the outputs are printed; into a folder they go as NAME.npy; '-' as the file writes
an .npy to standard output.

Examples:
  tenfold run pool.onnx -i image=image.npy
  tenfold run norm.xml -i x.npy -o out/ --threads 4
  tenfold run masked.onnx -i x=x.npy -i mask=mask.pb -o y=y.npy -o index=index.npy
  tenfold run model.onnx -i x.npy --profile --json
)";

struct RunArguments {
  Common common;
  std::string model;
  std::vector<std::string> inputs, outputs;
  bool profile = false, no_contract_through = false;
};

// What is left of a text "name=file" whose name is one of `ports`, or the file alone.
struct Named {
  std::string name, file;
};

const Port* find_port(const std::vector<Port>& ports, std::string_view name) {
  const auto it = std::ranges::find(ports, name, &Port::name);
  return it == ports.end() ? nullptr : &*it;
}

std::string list_names(const std::vector<Port>& ports) {
  std::vector<std::string> names;
  for (const Port& port : ports) names.push_back("'" + port.name + "'");
  return fmt::format("{}", fmt::join(names, ", "));
}

// Names and files may hold a '=' themselves: the shortest prefix that is a name wins.
std::optional<Named> split_named(const std::vector<Port>& ports, const std::string& text) {
  for (std::size_t i = text.find('='); i != std::string::npos; i = text.find('=', i + 1)) {
    if (find_port(ports, std::string_view(text).substr(0, i)) != nullptr) {
      return Named{text.substr(0, i), text.substr(i + 1)};
    }
  }
  return std::nullopt;
}

Error unknown_port(const char* option, const char* kind, const std::vector<Port>& ports,
                   const std::string& text) {
  std::vector<std::string_view> names;
  for (const Port& port : ports) names.push_back(port.name);
  const std::string name = text.substr(0, text.find('='));
  return {ErrorCode::kUnknownName, option,
          fmt::format("the model has no {} '{}'{}", kind, name, suggestion(name, names)),
          list_names(ports)};
}

std::vector<Named> name_inputs(const Graph& graph, const RunArguments& arguments) {
  const auto& ports = graph.inputs();
  std::vector<Named> named;
  std::set<std::string> seen;
  for (const std::string& text : arguments.inputs) {
    if (auto pair = split_named(ports, text)) {
      named.push_back(std::move(*pair));
    } else if (ports.size() == 1 &&
               (text.find('=') == std::string::npos || fs::exists(fs::path(text)))) {
      named.push_back({ports[0].name, text});
    } else if (text.find('=') == std::string::npos) {
      throw usage_error("-i", "the model has several inputs",
                        "NAME=FILE, with NAME one of " + list_names(ports), "'" + text + "'");
    } else {
      throw unknown_port("-i", "input", ports, text);
    }
    if (!seen.insert(named.back().name).second) {
      throw usage_error("-i", fmt::format("input '{}' is given twice", named.back().name));
    }
  }
  for (const Port& port : ports) {
    if (!seen.contains(port.name)) {
      throw usage_error("run", fmt::format("the model's input '{}' is not given", port.name),
                        fmt::format("-i {}=FILE", port.name));
    }
  }
  return named;
}

Tensor load_input(const Port& port, const std::string& file) {
  io::ReadOptions read;
  read.dtype = port.dtype;
  const std::string suffix = fs::path(file).extension().string();
  if (suffix == ".raw" || suffix == ".bin") {
    const auto is_static = [](const Port::Extent& extent) { return extent.value >= 0; };
    if (!port.dtype || !port.shape || !std::ranges::all_of(*port.shape, is_static)) {
      throw usage_error("-i",
                        fmt::format("raw data for input '{}', whose type and shape the model "
                                    "leaves open",
                                    port.name),
                        "an .npy file", file);
    }
    read.shape = Dims{};
    for (const Port::Extent& extent : *port.shape) read.shape->push_back(extent.value);
  }
  return io::load(file, read);
}

Graph load_model(const std::string& path, const GraphOptions& arguments) {
  if (path != "-") return Graph::load(path, arguments);
  const auto bytes = read_stdin();
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  const std::size_t start = text.find_first_not_of(" \t\r\n\xef\xbb\xbf");
  const bool is_xml = start != std::string_view::npos && text[start] == '<';
  return is_xml ? Graph::load_openvino(text, {}, arguments)
                : Graph::load_onnx(bytes, {}, arguments);
}

// Where each output goes; empty: all are printed.
std::vector<Named> name_outputs(const Graph& graph, const RunArguments& arguments) {
  const auto& ports = graph.outputs();
  std::vector<Named> named;
  const auto add = [&](Named output) {
    for (const Named& other : named) {
      if (other.name == output.name) {
        throw usage_error("-o", fmt::format("output '{}' is given twice", output.name));
      }
      if (other.file == output.file) {
        throw usage_error("-o", fmt::format("outputs '{}' and '{}' would both be {}", other.name,
                                            output.name, output.file));
      }
    }
    named.push_back(std::move(output));
  };
  for (const std::string& text : arguments.outputs) {
    if (auto pair = split_named(ports, text)) {
      add(std::move(*pair));
    } else if (text.find('=') != std::string::npos) {
      throw unknown_port("-o", "output", ports, text);
    } else if (text == "-" || (has_format(text) && !fs::is_directory(text))) {
      if (ports.size() != 1) {
        throw usage_error("-o", "the model has several outputs",
                          "a folder, or NAME=FILE with NAME one of " + list_names(ports),
                          "'" + text + "'");
      }
      add({ports[0].name, text});
    } else {
      std::error_code failed;  // a folder that cannot be made is reported with its first file
      fs::create_directories(text, failed);
      for (const Port& port : ports) {
        add({port.name, (fs::path(text) / (file_name_of(port.name) + ".npy")).string()});
      }
    }
  }
  for (const Named& output : named) {
    if (output.file == "-") continue;
    if (!has_format(output.file)) {
      throw usage_error("-o", "the suffix names no format",
                        ".npy, .npz, .pb, .safetensors, .raw or .bin", "'" + output.file + "'");
    }
  }
  return named;
}

Json profile_json(const std::vector<NodeTime>& profile) {
  Json list = Json::array();
  for (const NodeTime& node : profile) {
    Json object;
    object["node"] = node.node;
    object["op"] = node.op;
    object["microseconds"] = node.microseconds;
    object["detail"] = node.detail;
    list.push_back(object);
  }
  return list;
}

std::string profile_text(const std::vector<NodeTime>& profile) {
  std::size_t node_width = 4, op_width = 2;
  for (const NodeTime& node : profile) {
    node_width = std::max(node_width, node.node.size());
    op_width = std::max(op_width, node.op.size());
  }
  std::string text = fmt::format("{:<{}}  {:<{}}  {:>12}  {}\n", "node", node_width, "op", op_width,
                                 "microseconds", "detail");
  double total = 0;
  for (const NodeTime& node : profile) {
    total += node.microseconds;
    text += fmt::format("{:<{}}  {:<{}}  {:>12.1f}{}{}\n", node.node, node_width, node.op, op_width,
                        node.microseconds, node.detail.empty() ? "" : "  ", node.detail);
  }
  return text + fmt::format("{:<{}}  {:<{}}  {:>12.1f}\n", "all", node_width, "", op_width, total);
}

struct Results {
  Graph::Outputs tensors;
  std::vector<NodeTime> profile;
};

void print_json(const Graph& graph, const RunArguments& arguments, const std::vector<Named>& files,
                const Results& results) {
  Json document;
  document["model"] = arguments.model;
  document["outputs"] = Json::array();
  for (const Port& port : graph.outputs()) {
    const auto file = std::ranges::find(files, port.name, &Named::name);
    if (!files.empty() && file == files.end()) continue;
    const Tensor& tensor = results.tensors.at(port.name);
    Json object;
    object["name"] = port.name;
    object["dtype"] = numpy_name_of(tensor.dtype());
    object["shape"] = to_json(tensor.shape());
    if (file == files.end()) {
      object["data"] = to_json(tensor)["data"];
    } else {
      object["file"] = file->file;
    }
    document["outputs"].push_back(object);
  }
  if (arguments.profile) document["profile"] = profile_json(results.profile);
  print(dump(document));
}

void print_text(const Graph& graph, const RunArguments& arguments, const std::vector<Named>& files,
                const Results& results) {
  std::string text;
  if (files.empty()) {
    for (const Port& port : graph.outputs()) {
      const Tensor& tensor = results.tensors.at(port.name);
      text += fmt::format("{}: {}\n{}\n", port.name, describe(tensor), to_text(tensor));
    }
  } else if (!arguments.common.quiet) {
    for (const Named& file : files) {
      if (file.file == "-") continue;
      text += fmt::format("wrote {}: {}: {}\n", file.file, file.name,
                          describe(results.tensors.at(file.name)));
    }
  }
  if (arguments.profile) text += profile_text(results.profile);
  // A tensor on standard output stands alone there.
  const bool tensor_on_stdout = std::ranges::find(files, "-", &Named::file) != files.end();
  if (tensor_on_stdout) {
    std::fputs(text.c_str(), stderr);
  } else {
    print(text);
  }
}

void write_outputs(const std::vector<Named>& files, const Results& results, OutputFiles& staged) {
  for (const Named& output : files) {
    if (output.file == "-") continue;
    staged.write(output.file, results.tensors.at(output.name));
  }
}

void run_model(const RunArguments& arguments) {
  const RunOptions run = run_options(arguments.common);
  const auto is_dash = [](const std::string& text) { return text == "-" || text.ends_with("=-"); };
  if ((arguments.model == "-") + std::ranges::count_if(arguments.inputs, is_dash) > 1) {
    throw usage_error("run", "standard input can be read once only");
  }
  if (arguments.common.json && std::ranges::any_of(arguments.outputs, is_dash)) {
    throw usage_error("run", "--json and -o - both want standard output");
  }
  Results results;
  std::vector<Named> files;
  OutputFiles staged;
  std::optional<Graph> graph;
  {
    Progress progress(arguments.common.quiet);
    progress.stage("loading " + arguments.model);
    graph = load_model(arguments.model, {.contract_through = !arguments.no_contract_through});
    const auto inputs = name_inputs(*graph, arguments);
    files = name_outputs(*graph, arguments);

    std::vector<Tensor> tensors;
    Graph::Inputs views;
    for (const Named& input : inputs) {
      progress.stage("reading " + input.file);
      tensors.push_back(load_input(*find_port(graph->inputs(), input.name), input.file));
      views.emplace(input.name, std::as_const(tensors.back()).view());
    }
    progress.stage("running");
    results.tensors = graph->run(views, run, arguments.profile ? &results.profile : nullptr);
    progress.stage("writing");
    write_outputs(files, results, staged);
  }
  staged.commit();
  for (const Named& output : files) {
    if (output.file == "-") io::save("-", results.tensors.at(output.name));
  }
  arguments.common.json ? print_json(*graph, arguments, files, results)
                        : print_text(*graph, arguments, files, results);
}

}  // namespace

Command add_run(CLI::App& app) {
  const auto arguments = std::make_shared<RunArguments>();
  CLI::App* sub =
      add_subcommand(app, "run", "Run a model on tensor files", kRunExamples, arguments->common);
  sub->add_option("MODEL", arguments->model, "An ONNX model or an OpenVINO IR; '-': standard input")
      ->required()
      ->type_name("");
  sub->add_option("-i,--input", arguments->inputs,
                  "Once for each input; FILE alone if there is one")
      ->type_name("NAME=FILE")
      ->allow_extra_args(false);
  sub->add_option("-o,--output", arguments->outputs,
                  "A folder for all outputs, or once for each wanted output")
      ->type_name("DIR|NAME=FILE")
      ->allow_extra_args(false);
  sub->add_option("--threads", arguments->common.threads, "Most threads to use; default: all")
      ->type_name("N");
  sub->add_flag("--json", arguments->common.json, "Print the results as JSON");
  sub->add_flag("--profile", arguments->profile, "Print the time of each node");
  sub->add_flag("--no-contract-through", arguments->no_contract_through,
                "Every contraction by itself, though several at once may be cheaper");
  return {sub, [arguments] { run_model(*arguments); }};
}

}  // namespace tenfold::cli
