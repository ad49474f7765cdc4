// tenfold::Error as the Python exceptions of tenfold/errors.py.
#include <nanobind/stl/string.h>

#include "arrays.hpp"
#include "tenfold/error.hpp"

namespace tenfold::python {
namespace {

void raise(const Error& error) {
  const nb::module_ errors = nb::module_::import_("tenfold.errors");
  nb::object place = nb::none();
  if (const ErrorPlace* where = error.place()) {
    nb::list marks;
    for (const ErrorMark& mark : where->marks)
      marks.append(nb::make_tuple(mark.offset, mark.length, mark.operand, mark.axis, mark.size,
                                  text_of(mark.note)));
    place = nb::make_tuple(text_of(where->equation), text_of(where->label), marks);
  }
  const nb::object instance = errors.attr("from_core")(
      std::string(name_of(error.code())), text_of(error.what()), text_of(error.where()),
      text_of(error.expected()), text_of(error.got()), place);
  PyErr_SetObject(reinterpret_cast<PyObject*>(Py_TYPE(instance.ptr())), instance.ptr());
}

// The equation with carets below: for errors that are found in Python.
std::string equation_picture(const std::string& equation, nb::handle marks) {
  ErrorPlace place{equation, {}};
  for (nb::handle mark : nb::iter(marks)) {
    ErrorMark& next = place.marks.emplace_back();
    next.offset = nb::cast<int>(mark[0]);
    next.length = nb::cast<int>(mark[1]);
    next.note = nb::cast<std::string>(mark[5]);
  }
  return picture_of(place);
}

}  // namespace

nb::str text_of(std::string_view text) {
  PyObject* decoded =
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
  if (decoded == nullptr) throw nb::python_error();
  return nb::steal<nb::str>(decoded);
}

void bind_errors(nb::module_& m) {
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const Error& error) {
      try {
        raise(error);
      } catch (nb::python_error& failure) {
        failure.restore();
      }
    }
  });
  m.def("equation_picture", &equation_picture);
  nb::list codes;
#define X(id, kind, name) codes.append(nb::make_tuple(name, #kind));
  TENFOLD_ERROR_CODES(X)
#undef X
  m.attr("ERROR_CODES") = codes;
}

}  // namespace tenfold::python
