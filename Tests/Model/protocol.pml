/*
 * The protocol of Sources/Futures/Core: settle, observe, cancel, link, release.
 *
 * A thread is a stack machine, since Promela has no calls: what the Swift code calls is pushed, and
 * what it does after the call is pushed beneath. Each `atomic` is one access to memory that threads
 * share, or a stretch that its thread has to itself because it holds a lock or a taken list; that it
 * has is asserted. README.md says why that suffices, and which word stands for which.
 *
 *   spin -DSCENARIO=n [-DFAULT_...] -a protocol.pml
 */

/* Word.swift. The pointer bits are `head`. */
#define PENDING 0
#define LOCKED  1
#define CLAIMED 2
#define CLOSED  3
#define VALUE   4
#define FAILURE 5
#define LEAVING 6

/* What the result is. */
#define NONE      0
#define SUCCESS   1
#define FAILED    2
#define CANCELLED 3

/* Who the waiter is. HEIR is the failed future of Promise's deinit. */
#define UNUSED   0
#define PROMISE  1
#define MAP      2
#define FLAT     3
#define OBSERVER 4
#define TASK     5
#define INPUT    6
#define RACE     7
#define HEIR     8
#define TIMED    9

/* The life of an object. */
#define NOWHERE 0
#define ALIVE   1
#define DEINIT  2
#define FREED   3

#define isFuture(k) ((k) != UNUSED && (k) != OBSERVER && (k) != TASK && (k) != INPUT)
#define isRoot(k)   ((k) == PROMISE || (k) == HEIR)
#define isSettled(f) ((f) >= 4)
#define isPending(f) ((f) <= LOCKED)

/* What a thread does: the operations of the API first, then the steps that these consist of. */
mtype = {
    nothing,
    resolve, cancel, release, observe, await, cancelTask, onCancel, flatMapSettled,
    addInput, handOver, releaseRange, whenQuiet,
#ifdef FAULT_NEXT_READ_LATE
    nextLate,
#endif
#ifdef FAULT_RELEASE_IN_PHASE
    stepEnd,
#endif
    distribute, runOne, afterRun, leaveDelivery,
    receive, finishDerived, follow, link, enrollShared,
    step, walked, withdraw, call, giveUpInterest,
    abandon, free, bypass, shorten, inputSettled, letGo
};

#include "scenarios.pml"

typedef Node {
    byte kind;
    byte life;
    byte rc;              /* strong references */

    byte flags;           /* word, without the pointer */
    byte head;            /* word, the pointer */
    byte next;
    byte previous;
    byte upstream;
    bit upstreamIsRoot;
    bit isLinked;
    bit isForwarding;
    bit wasGivenUp;
    bit listens;          /* cancelHandlers != nil */
    byte result;          /* storage, failure */

    byte closure;         /* the future that the transform returns, of which it owns a reference */
    byte owner;           /* of an INPUT */
    byte source;          /* of an INPUT, once delivered */
    bit holdsInputs;      /* of a RACE */
    byte remaining;       /* of a RACE, which owns a reference to itself until it is 0 */
    byte heir;            /* of a PROMISE */
    mtype does;           /* what the closure of an OBSERVER does, */
    byte to;              /* and to whom; it owns a reference of that. Of an INPUT: its aggregate */

    /* What is only counted, never read by the protocol. */
    byte calls;           /* how often an observer was called or a task was resumed */
    byte heard;           /* how often the producer heard of a cancellation */
    bit left;             /* somebody has given up an interest in it, and found it pending */
    bit started;          /* the transform was called and has returned its future */
}

Node n[NODES + 1];        /* 0 is nil */
byte running = 0;

/* An access to a node's memory. */
#define TOUCH(x) assert((x) != 0 && n[x].life != FREED && n[x].life != NOWHERE)

/* `storage` of a settled future: its one deliverer may still write what it will take back, unless the
   future has settled with that value. */
#define readStorage(x) TOUCH(x); assert(n[x].flags == VALUE && n[x].result == SUCCESS)

/* Busy waits are blocking guards, so that a wait without end is a deadlock. A node that is freed
   while somebody waits at it ends the wait, so that TOUCH complains. */
#define untilUnlocked(x) (n[x].flags != LOCKED || n[x].life == FREED)
#define untilOpen(x)     ((n[x].flags != LOCKED && n[x].flags != CLOSED) || n[x].life == FREED)
#define untilSettled(x)  (isSettled(n[x].flags) || n[x].life == FREED)
#ifdef FAULT_LEFT_IGNORES_CLAIM
#define untilLeft(x)     (n[x].flags != LEAVING || n[x].life == FREED)
#else
#define untilLeft(x)     ((n[x].flags != LEAVING && n[x].flags != CLAIMED && n[x].flags != CLOSED) \
    || n[x].life == FREED)
#endif

#define PUSH(o, x, y) \
    sop[sp] = o; sx[sp] = x; sy[sp] = y; sp = sp + 1; assert(sp < STACK)

#include "words.pml"
#include "settle.pml"
#include "observe.pml"
#include "aggregate.pml"
#include "cancel.pml"
#include "release.pml"
#include "link.pml"

/*
 * One thread: up to four operations, each with two operands, then the end.
 */
proctype thread(mtype op0; byte x0; byte y0; mtype op1; byte x1; byte y1;
    mtype op2; byte x2; byte y2; mtype op3; byte x3; byte y3)
{
    mtype sop[STACK];
    byte sx[STACK];
    byte sy[STACK];
    byte sp = 0;
    mtype o = nothing;
    byte x = 0;                 /* operands of the current operation */
    byte y = 0;

    byte list = 0;              /* scratch; zero between operations */
    byte turned = 0;
    byte other = 0;
    byte up = 0;
    bit ok = 0;
    bit done = 0;
    bit alone = 0;
    bit wasLinked = 0;
    bit wasLast = 0;
    byte number = 0;

    /* struct Departure, from the first step to `walked`. */
    byte removed[NODES + 1];    /* the list's reference */
    byte retained[NODES + 1];
    bit calling[NODES + 1];     /* whose handlers are to be called */

    /* struct cfutures_thread_state. */
    bit delivering = 0;
    byte late[3];
    byte lates = 0;

    byte i = 0;

    atomic {
        i = 0;
        do
        :: i < STACK -> sop[i] = nothing; i++
        :: else -> break
        od;
        i = 0;
        PUSH(op3, x3, y3);
        PUSH(op2, x2, y2);
        PUSH(op1, x1, y1);
        PUSH(op0, x0, y0);
        op0 = nothing; op1 = nothing; op2 = nothing; op3 = nothing;
        x0 = 0; x1 = 0; x2 = 0; x3 = 0; y0 = 0; y1 = 0; y2 = 0; y3 = 0
    }

next:
    atomic {
        /* Nothing is left over from the last operation. */
        list = 0; other = 0; turned = 0; up = 0; ok = 0; done = 0; alone = 0; wasLinked = 0;
        wasLast = 0; number = 0; i = 0; x = 0; y = 0; o = nothing;
        if
        :: sp == 0 -> goto finished
        :: else
        fi;
        sp = sp - 1;
        o = sop[sp]; x = sx[sp]; y = sy[sp];
        sop[sp] = nothing; sx[sp] = 0; sy[sp] = 0
    }
    if
    :: o == nothing -> skip
    :: o == resolve -> doResolve()
    :: o == distribute -> doDistribute()
#ifdef FAULT_NEXT_READ_LATE
    :: o == nextLate -> doNextLate()
#endif
    :: o == leaveDelivery -> doLeaveDelivery()
    :: o == runOne -> doRunOne()
    :: o == afterRun -> doAfterRun()
    :: o == receive -> doReceive()
    :: o == finishDerived -> doFinishDerived()
    :: o == observe -> doObserve()
    :: o == await -> doAwait()
    :: o == enrollShared -> doEnrollShared()
    :: o == link -> doLink()
    :: o == follow -> doFollow()
    :: o == cancel -> doCancel()
    :: o == cancelTask -> doCancelTask()
    :: o == step -> doStep()
#ifdef FAULT_RELEASE_IN_PHASE
    :: o == stepEnd -> doStepEnd()
#endif
    :: o == walked -> doWalked()
    :: o == withdraw -> doWithdraw()
    :: o == call -> doCall()
    :: o == giveUpInterest -> doGiveUpInterest()
    :: o == onCancel -> doOnCancel()
    :: o == release -> doRelease()
    :: o == releaseRange -> doReleaseRange()
    :: o == abandon -> doAbandon()
    :: o == free -> doFree()
    :: o == bypass -> doBypass()
    :: o == shorten -> doShorten()
    :: o == flatMapSettled -> doFlatMapSettled()
    :: o == inputSettled -> doInputSettled()
    :: o == letGo -> doLetGo()
    :: o == addInput -> doAddInput()
    :: o == handOver -> doHandOver()
    :: o == whenQuiet -> atomic { (running == 1); quiet() }
    fi;
    goto next;

finished:
    atomic { running = running - 1 }
}

init {
    atomic { setup() }
    (running == 0);
    d_step {
        byte k = 1;
        do
        :: k <= NODES ->
            /* Nothing is leaked. */
            assert(n[k].life == FREED || n[k].life == NOWHERE);
            /* Each observer that was enrolled is called once, each task resumed once. */
            assert(n[k].kind != OBSERVER || n[k].calls == (n[k].upstream != 0 -> 1 : 0));
            assert(n[k].kind != TASK || n[k].calls == 1);
            /* A producer hears once, and only of a cancellation. */
            assert(n[k].heard <= 1);
            assert(n[k].heard == 0 || n[k].result == CANCELLED);
            k++
        :: else -> break
        od;
        expected()
    }
}
