// Broken and malicious IRs: each is an error, none a crash, a hang or a flood of memory.
#include <fmt/format.h>

#include "graph/testing.hpp"
#include "openvino/ir_builder_for_tests.hpp"

namespace tenfold::openvino {
namespace {

using graph::testing::expect_error;
using testing::IrBuilder;
using testing::kMalformed;

Graph load(const std::string& xml) { return Graph::load_openvino(xml, {}); }

std::string net(const std::string& inside) { return "<net version=\"11\">" + inside + "</net>"; }

// x (0), an element-wise layer (1), a result (2).
IrBuilder chain() {
  IrBuilder ir;
  ir.parameter("x", "3").layer("c", "Convert", "opset1", "destination_type=\"f64\"", 1, 1);
  return ir.result().edge(0, 0, 1, 0).edge(1, 1, 2, 0);
}

// A constant with the given data, and its result.
void expect_constant_refused(const std::vector<std::string>& parts, const std::string& data,
                             ErrorCode code = kMalformed) {
  expect_error(code, parts, [&] {
    const std::vector<std::byte> weights(8);
    IrBuilder ir;
    ir.layer("k", "Const", "opset1", data, 0, 1).result().edge(0, 0, 1, 0);
    Graph::load_openvino(ir.xml(), weights);
  });
}

TEST(HostileIr, Constants) {
  const std::string type = "element_type=\"f32\" ";
  expect_constant_refused({"layer 'k' Const", "outside the weights", "8 bytes"},
                          type + "shape=\"2\" offset=\"4\" size=\"8\"");
  expect_constant_refused({"outside"}, type + "shape=\"2\" offset=\"-8\" size=\"8\"");
  expect_constant_refused({"outside"},
                          type + "shape=\"2\" offset=\"9223372036854775807\" size=\"8\"");
  expect_constant_refused({"outside"}, type + "shape=\"2\" offset=\"0\" size=\"-8\"");
  expect_constant_refused({"size and shape differ", "f32 (3,)"},
                          type + "shape=\"3\" offset=\"0\" size=\"8\"");
  expect_constant_refused({"no attribute element_type"}, "shape=\"2\" offset=\"0\" size=\"8\"");
  expect_constant_refused({"no attribute shape"}, type + "offset=\"0\" size=\"8\"");
  expect_constant_refused({"no attribute offset"}, type + "shape=\"2\" size=\"8\"");
  expect_constant_refused({"too large"},
                          type + "shape=\"4611686018427387904,4\" offset=\"0\" size=\"0\"",
                          ErrorCode::kSizeOverflow);
  expect_constant_refused({"size and shape differ"},
                          type + "shape=\"4611686018427387904\" offset=\"0\" size=\"0\"");
  expect_constant_refused({"'u1'"}, "element_type=\"u1\" shape=\"64\" offset=\"0\" size=\"8\"",
                          ErrorCode::kUnsupportedFeature);
}

// Many constants over the same weights: equal ones are one, others may not multiply memory.
TEST(HostileIr, ConstantsThatOverlap) {
  const std::vector<std::byte> weights(1 << 20);
  const auto many = [&](int step) {
    IrBuilder ir;
    for (int i = 0; i < 1000; ++i)
      ir.layer(fmt::format("k{}", i), "Const", "opset1",
               "element_type=\"u8\" shape=\"1000000\" size=\"1000000\" offset=\"" +
                   std::to_string(i * step) + "\"",
               0, 1);
    ir.result().edge(0, 0, 1000, 0);
    return Graph::load_openvino(ir.xml(), weights);
  };
  EXPECT_NO_THROW(many(0));
  expect_error(kMalformed, {"the constants overlap"}, [&] { many(1); });
}

TEST(HostileIr, Edges) {
  expect_error(kMalformed, {"to-layer that is not there", "'9'"},
               [] { chain().edge(0, 0, 9, 0).load(); });
  expect_error(kMalformed, {"from-layer that is not there"},
               [] { chain().edge(9, 0, 1, 0).load(); });
  expect_error(kMalformed, {"layer 'x'", "leaves an output port that is not there", "got 5"},
               [] { chain().edge(0, 5, 1, 0).load(); });
  expect_error(kMalformed, {"layer 'c'", "enters an input port that is not there"},
               [] { chain().edge(0, 0, 1, 1).load(); });
  expect_error(kMalformed, {"layer 'c'", "two edges enter one input port"},
               [] { chain().edge(0, 0, 1, 0).load(); });
  expect_error(kMalformed, {"layer 'd' Convert", "input port 0 has no edge"}, [] {
    chain().layer("d", "Convert", "opset1", "destination_type=\"f64\"", 1, 1).load();
  });
  expect_error(kMalformed, {"no attribute from-port"}, [] {
    load(net(R"(<layers><layer id="0" type="Parameter" version="opset1"/></layers>)"
             R"(<edges><edge from-layer="0" to-layer="0"/></edges>)"));
  });
}

TEST(HostileIr, Cycles) {
  IrBuilder ir;
  ir.layer("a", "Convert", "opset1", "destination_type=\"f64\"", 1, 1);
  ir.layer("b", "Convert", "opset1", "destination_type=\"f64\"", 1, 1).result();
  ir.edge(0, 1, 1, 0).edge(1, 1, 0, 0).edge(1, 1, 2, 0);
  expect_error(kMalformed, {"form a cycle", "layer 'a'"}, [&] { ir.load(); });
}

TEST(HostileIr, LayersAndPorts) {
  expect_error(kMalformed, {"two layers of one id"}, [] {
    chain().xml(R"(<layer id="0" name="z" type="Parameter" version="opset1"/>)").load();
  });
  expect_error(kMalformed, {"two ports of one id"}, [] {
    chain()
        .xml(R"(<layer id="7" type="Convert" version="opset1">)"
             R"(<input><port id="0"/></input><output><port id="0"/></output></layer>)")
        .load();
  });
  expect_error(kMalformed, {"bad layer id"},
               [] { chain().xml(R"(<layer id="x" type="Result" version="opset1"/>)").load(); });
  expect_error(kMalformed, {"no attribute type"}, [] { chain().xml("<layer id=\"7\"/>").load(); });
  expect_error(kMalformed, {"layer 'x' Parameter", "two inputs of one name"},
               [] { chain().parameter("x", "3").load(); });
  expect_error(kMalformed, {"wrong number of output ports"}, [] {
    chain().layer("p", "Parameter", "opset1", "element_type=\"f32\"", 0, 2).load();
  });
  expect_error(kMalformed, {"layer 'd'", "wrong number of inputs"}, [] {
    IrBuilder ir = chain();
    ir.layer("d", "Convert", "opset1", "destination_type=\"f64\"", 2, 1);
    ir.edge(0, 0, 3, 0).edge(0, 0, 3, 1).load();
  });
  expect_error(kMalformed, {"there are no layers"}, [] { load(net("")); });
  expect_error(kMalformed, {"no Result layer"}, [] { IrBuilder().parameter("x", "3").load(); });
}

TEST(HostileIr, PortsAndNamesWithoutEnd) {
  expect_error(ErrorCode::kUnsupportedFeature, {"layer 'concat'", "too many ports", "at most 4096"},
               [] { chain().layer("concat", "Concat", "opset1", "", 100'000, 1).load(); });
  expect_error(ErrorCode::kUnsupportedFeature, {"layer 'split'", "too many ports", "at most 64"},
               [] { chain().layer("split", "Split", "opset1", "", 1, 100'000).load(); });
  const std::string endless(100'000, 'a');
  expect_error(kMalformed, {"layer 3", "name too long"}, [&] { chain().result(endless).load(); });
  expect_error(kMalformed, {"layer 'c'", "name too long"},
               [&] { chain().layer("c", "Abs", "opset1", "", 1, 1, endless).load(); });
}

TEST(HostileIr, DamagedXml) {
  const std::string whole = chain().xml();
  EXPECT_NO_THROW(load(whole));
  const std::size_t end = whole.find("</net>");
  for (std::size_t size = 0; size < end; ++size)
    EXPECT_THROW(load(whole.substr(0, size)), Error) << size;
  expect_error(kMalformed, {"the XML is damaged"}, [] { load("<net version=\"11\"><layers>"); });
  expect_error(kMalformed, {"there is no <net>"}, [] { load("<model/>"); });
}

TEST(HostileIr, DeepNestingAndEntities) {
  std::string deep;
  for (int i = 0; i < 500'000; ++i) deep += "<a>";
  EXPECT_THROW(load(net(deep)), Error);
  std::string closed = deep;
  for (int i = 0; i < 500'000; ++i) closed += "</a>";
  expect_error(kMalformed, {"there are no layers"}, [&] { load(net(closed)); });
  // Entities of a document type are not expanded: a billion laughs stay a few bytes.
  std::string laughs = "<!DOCTYPE net [<!ENTITY a \"ha\">";
  for (char c = 'b'; c < 'z'; ++c) {
    laughs += std::string("<!ENTITY ") + c + " \"";
    for (int i = 0; i < 10; ++i) laughs += std::string("&") + static_cast<char>(c - 1) + ";";
    laughs += "\">";
  }
  laughs += "]>";
  expect_error(kMalformed, {"bad version", "'&y;'"},
               [&] { load(laughs + "<net version=\"&y;\"/>"); });
}

}  // namespace
}  // namespace tenfold::openvino
