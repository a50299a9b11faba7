// Where the workers of one job wait for each other: for a moment awake, then asleep.
#pragma once

#include <atomic>

namespace corollary {

class Barrier {
    static constexpr int PATIENCE = 4000;

  public:
    const int workers;

    explicit Barrier(int workers) : workers(workers), missing_(workers) {}

    void wait() {
        if (workers == 1) return;
        const unsigned round = round_.load(std::memory_order_relaxed);
        if (missing_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            missing_.store(workers, std::memory_order_relaxed);
            round_.store(round + 1, std::memory_order_release);
            // The library may look for sleepers before the store is seen: one that falls
            // asleep at that moment would never be woken.
            std::atomic_thread_fence(std::memory_order_seq_cst);
            round_.notify_all();
            return;
        }
        for (int turn = 0; turn < PATIENCE; ++turn) {
            if (round_.load(std::memory_order_acquire) != round) return;
            pause();
        }
        while (round_.load(std::memory_order_acquire) == round)
            round_.wait(round, std::memory_order_acquire);
    }

  private:
    static void pause() {
#if defined(__x86_64__)
        __builtin_ia32_pause();
#endif
    }

    alignas(64) std::atomic<int> missing_;
    alignas(64) std::atomic<unsigned> round_ = 0;
};

}  // namespace corollary
