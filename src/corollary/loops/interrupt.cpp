// Tokens that stop the loops of other threads; common/interrupt.hpp has the idea.
#include "common/interrupt.hpp"

#include <nanobind/stl/optional.h>

#include <optional>

#include "common/arrays.hpp"
#include "loops.hpp"

namespace corollary {
namespace COROLLARY_LOOPS {  // Python tells the types of the modules apart by name

struct Token {
    std::shared_ptr<StopState> state;
};

}  // namespace COROLLARY_LOOPS
using COROLLARY_LOOPS::Token;

void bind_interrupt(nb::module_& m) {
    nb::class_<Token>(m, "Token")
        .def("__init__",
             [](Token* token) {
                 auto state = std::make_shared<StopState>();
                 state->parent = watched;
                 new (token) Token{std::move(state)};
             })
        .def("stop", [](const Token& token) { token.state->stopped = true; })
        .def("stopped", [](const Token& token) { return token.state->asked(); });
    m.def(
        "watch",
        [](std::optional<Token> token) -> std::optional<Token> {
            std::shared_ptr<StopState> before = watched;
            watched = token ? token->state : nullptr;
            if (!before) return std::nullopt;
            return Token{before};
        },
        nb::arg("token").none());
    m.def("asked_to_stop", [] { return watched && watched->asked(); });
}

}  // namespace corollary
