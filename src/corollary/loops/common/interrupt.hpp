// Ctrl-C in a loop that runs for long.
//
// Python's main thread looks for signals itself, a few dozen times a second; no signal
// handler is installed. A thread that works for another is given a token, which the other
// stops. A loop asks its Watch from time to time, ends where its arrays belong together,
// and lets the Watch raise what Python code at this place would have raised.
#pragma once

#include <nanobind/nanobind.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <memory>

namespace corollary {

// Asks the threads of one job, and of the jobs that they start, to stop.
struct StopState {
    std::atomic<bool> stopped = false;
    std::shared_ptr<StopState> parent;

    bool asked() const {
        for (const StopState* state = this; state; state = state->parent.get())
            if (state->stopped.load(std::memory_order_relaxed)) return true;
        return false;
    }
};

// That of the job that this thread works for, if it works for one.
inline thread_local std::shared_ptr<StopState> watched;

class Watch {
    using Clock = std::chrono::steady_clock;
    static constexpr std::chrono::milliseconds PAUSE{20};

  public:
    // Tell whether the loop shall end here; costs a look at the clock.
    bool stopped() {
        if (stopped_) return true;
        if (watched) return stopped_ = watched->asked();
        const Clock::time_point now = Clock::now();
        if (now < next_) return false;
        next_ = now + PAUSE;
        nanobind::gil_scoped_acquire gil;
        if (PyErr_CheckSignals() == 0) return false;  // as in every thread but the main
        try {
            throw nanobind::python_error();
        } catch (...) {
            error_ = std::current_exception();
        }
        return stopped_ = true;
    }

    // Raise KeyboardInterrupt, or what a signal handler raised, where the loop ended.
    void raise() const {
        if (!stopped_) return;
        if (error_) std::rethrow_exception(error_);
        nanobind::gil_scoped_acquire gil;
        PyErr_SetNone(PyExc_KeyboardInterrupt);
        throw nanobind::python_error();
    }

  private:
    Clock::time_point next_ = Clock::now() + PAUSE;
    bool stopped_ = false;
    std::exception_ptr error_;
};

}  // namespace corollary
