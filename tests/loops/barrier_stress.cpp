// Two threads meet again and again, one late by about what the other waits awake for:
//     barrier_stress ROUNDS LEAST_NANOSECONDS SPREAD_NANOSECONDS
// Prints "met" and ends with status 0, or ends with status 1 where both sleep.

#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "common/barrier.hpp"

using Clock = std::chrono::steady_clock;

int main(int, char** given) {
    const long rounds = std::atol(given[1]), least = std::atol(given[2]),
               spread = std::atol(given[3]);
    corollary::Barrier barrier(2);
    std::array<std::atomic<long>, 2> met{0, 0};
    auto work = [&](int worker) {
        std::uint32_t draw = 12345u + std::uint32_t(worker);
        for (long round = 0; round < rounds; ++round) {
            draw = draw * 1664525u + 1013904223u;
            const auto late = std::chrono::nanoseconds(least + (draw >> 8) % spread);
            const auto until = Clock::now() + late;
            while (worker == round % 2 && Clock::now() < until) {
            }
            barrier.wait();
            met[std::size_t(worker)] = round + 1;
        }
    };
    std::thread([&] {
        for (long before = -1;;) {
            std::this_thread::sleep_for(std::chrono::seconds(5));
            const long now = met[0] + met[1];
            if (now == before) _exit(1);
            before = now;
        }
    }).detach();
    std::thread other(work, 1);
    work(0);
    other.join();
    std::puts("met");
    std::fflush(stdout);
    _exit(0);
}
