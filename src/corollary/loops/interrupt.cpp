// Tokens that stop the loops of other threads; common/interrupt.hpp has the idea.
//
// And the end of a process that has given up a call of LAPACK: the call cannot be stopped,
// and its libraries must not be taken down under it. Once Python has shut down, the process
// ends right there, with its status and with all output written.
#include "common/interrupt.hpp"

#include <nanobind/stl/optional.h>
#include <stdlib.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
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

namespace {

std::atomic<int> calls_apart = 0;  // under way in other threads than their caller's

#ifdef __GLIBC__
void end_without_them(int status, void*) {
    if (calls_apart == 0) return;
    std::fflush(nullptr);
    _exit(status);
}
#endif

// Count a call; tell whether the end of the process can go without it.
bool begin_apart() {
    ++calls_apart;
#ifdef __GLIBC__
    static const bool ready = on_exit(end_without_them, nullptr) == 0;
    return ready;
#else
    return false;
#endif
}

}  // namespace

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
    m.def("begin_apart", &begin_apart);
    m.def("end_apart", [] { --calls_apart; });
}

}  // namespace corollary
