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

/* The life of an object. */
#define NOWHERE 0
#define ALIVE   1
#define DEINIT  2
#define FREED   3

#define isFuture(k) ((k) == PROMISE || (k) == MAP || (k) == FLAT || (k) == RACE || (k) == HEIR)
#define isRoot(k)   ((k) == PROMISE || (k) == HEIR)
#define isSettled(f) ((f) >= 4)
#define isPending(f) ((f) <= LOCKED)

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
    byte heir;            /* of a PROMISE */

    /* What is only counted, never read by the protocol. */
    byte calls;           /* how often an observer was called or a task was resumed */
    byte heard;           /* how often the producer heard of a cancellation */
    bit left;             /* somebody has given up an interest in it, and found it pending */
}

Node n[NODES + 1];        /* 0 is nil */
byte running = 0;

/* An access to a node's memory. */
#define TOUCH(x) assert((x) != 0 && n[x].life != FREED && n[x].life != NOWHERE)

/* Busy waits are blocking guards, so that a wait without end is a deadlock. A node that is freed
   while somebody waits at it ends the wait, so that TOUCH complains. */
#define untilUnlocked(x) (n[x].flags != LOCKED || n[x].life == FREED)
#define untilSettled(x)  (isSettled(n[x].flags) || n[x].life == FREED)
#ifdef FAULT_LEFT_IGNORES_CLAIM
#define untilLeft(x)     (n[x].flags != LEAVING || n[x].life == FREED)
#else
#define untilLeft(x)     ((n[x].flags != LEAVING && n[x].flags != CLAIMED) || n[x].life == FREED)
#endif

/* What a thread does: the operations of the API first, then the steps that these consist of. */
mtype = {
    nothing,
    resolve, cancel, release, observe, await, cancelTask, onCancel, flatMapSettled, retain,
    distribute, runOne, afterRun, leaveDelivery,
    receive, finishDerived, follow, link, enrollShared,
    step, walked, withdraw, call, giveUpInterest,
    abandon, free, bypass, shorten, inputSettled
};

#define PUSH(o, x, y) \
    sop[sp] = o; sx[sp] = x; sy[sp] = y; sp = sp + 1; assert(sp < STACK)

/* One compare-and-exchange from pending to locked, or the load that finds it neither. */
inline lockIfPending(x) {
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; ok = 1
        :: else -> ok = 0
        fi
    }
}

inline tryLock(x) {
    atomic {
#ifdef FAULT_SPLICE_WAITS
        untilUnlocked(x);
#endif
        TOUCH(x);
        if
        :: n[x].flags == PENDING -> n[x].flags = LOCKED; ok = 1
        :: else -> ok = 0
        fi
    }
}

/* Only the holder of a lock writes the word. */
inline unlock(x) {
    atomic { TOUCH(x); assert(n[x].flags == LOCKED); n[x].flags = PENDING }
}

/* FutureNode.claim(), and Waiter.claim(as:) for those that have no list. */
inline claimAs(x, to) {
#ifdef FAULT_CLAIM_BY_STORE
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        ok = isPending(n[x].flags)
    }
    atomic {
        if
        :: ok -> n[x].flags = to
        :: else
        fi
    }
#else
    atomic {
        untilUnlocked(x);
        TOUCH(x);
        if
        :: isPending(n[x].flags) -> n[x].flags = to; ok = 1
        :: else -> ok = 0
        fi
    }
#endif
}

inline waitUntilLeft(x) {
#ifndef FAULT_NO_WAIT_UNTIL_LEFT
    atomic { untilLeft(x); TOUCH(x) }
#else
    skip
#endif
}

/* Takes the list, newest first, as `list`. */
inline publish(x, to) {
#ifdef FAULT_PUBLISH_BY_STORE
    atomic { TOUCH(x); list = n[x].head }
    atomic { TOUCH(x); n[x].head = 0; n[x].flags = to }
#else
    atomic {
        TOUCH(x);
#ifndef FAULT_PUBLISH_BEFORE_WRITE
        assert(n[x].flags == CLAIMED && n[x].result != NONE);
#endif
        list = n[x].head;
        n[x].head = 0;
        n[x].flags = to
    }
#endif
}

/* distribute(_:): the list belongs to this thread, which turns it round and runs it. */
inline pushDistribute(x) {
    d_step {
        turned = 0;
        do
        :: list != 0 ->
            TOUCH(list);
            other = n[list].next;
            n[list].next = turned;
            turned = list;
            list = other
        :: else -> break
        od;
        if
        :: turned != 0 ->
            if
            :: !delivering -> delivering = 1; PUSH(leaveDelivery, 0, 0)
            :: else
            fi;
            PUSH(distribute, turned, x)
        :: else
        fi;
        turned = 0;
        other = 0;
        list = 0
    }
}

/* wait(for:) */
inline waitFor(w, u) {
    n[w].upstream = u;
    n[w].upstreamIsRoot = isRoot(n[u].kind)
}

inline addReference(x) {
    assert(n[x].life == ALIVE && n[x].rc > 0);
    n[x].rc = n[x].rc + 1
}

/* retainUpstream(): `up`, or 0. Situations 2 and 3 of Waiter.swift. */
inline retainUpstream(w) {
    atomic { TOUCH(w); up = n[w].upstream }
    atomic {
        if
        :: up != 0 ->
            TOUCH(up);
            if
#ifndef FAULT_RETAIN_WITHOUT_TRY
            :: n[w].upstreamIsRoot && n[up].life == DEINIT -> up = 0
#endif
            :: else -> addReference(up)
            fi
        :: else
        fi
    }
}

/* fillInPrevious() of a locked future. */
inline fillInPrevious(u) {
    assert(n[u].flags == LOCKED);
    other = n[u].head;
    do
    :: other != 0 ->
        TOUCH(other);
        turned = n[other].next;
        if
        :: turned == 0 -> other = 0
        :: else ->
            TOUCH(turned);
            if
            :: n[turned].previous == other -> other = 0
            :: else -> n[turned].previous = other; other = turned
            fi
        fi
    :: else -> break
    od;
    turned = 0
}

/* unlink(_:): under the lock of `u`. */
inline unlink(w, u) {
    fillInPrevious(u);
    TOUCH(w);
    if
    :: n[w].next != 0 -> TOUCH(n[w].next); n[n[w].next].previous = n[w].previous
    :: else
    fi;
    if
    :: n[w].previous != 0 -> TOUCH(n[w].previous); n[n[w].previous].next = n[w].next
    :: else -> assert(n[u].head == w); n[u].head = n[w].next
    fi;
    n[w].next = 0;
    n[w].previous = 0;
    n[w].isLinked = 0
}

/* unlockWithoutInterest(): `alone` if the caller has to detach `u` now. */
inline unlockWithoutInterest(u) {
    n[u].left = 1;
    if
#ifdef FAULT_INTEREST_BEFORE_LOCK
    :: !wasLast -> n[u].flags = PENDING; alone = 0
#else
    :: n[u].head != 0 -> n[u].flags = PENDING; alone = 0
#endif
    :: else ->
        n[u].wasGivenUp = 1;
        if
        :: isRoot(n[u].kind) && !n[u].listens -> n[u].flags = PENDING; alone = 0
        :: else -> n[u].result = CANCELLED; n[u].flags = LEAVING; n[u].head = 0; alone = 1
        fi
    fi
}

/* Splice: takes `m`, locked, out; `only`, locked, takes its place. `done` if it did. */
inline splice(m, only, callerRetains) {
    done = 0;
    up = 0;
    ok = n[m].isForwarding && n[m].head == only && n[only].next == 0;
    if
    :: ok ->
        retainUpstream(m);
        if
        :: up != 0 ->
            tryLock(up);
            if
            :: ok ->
#ifndef FAULT_SPLICE_UNLINKED
                ok = n[m].isLinked;
#endif
                if
                :: ok ->
                    /* take(_:of:for:_:) */
                    if
                    :: callerRetains -> atomic { assert(n[m].rc > 1); n[m].rc = n[m].rc - 1 }
                    :: else
                    fi;
                    atomic {
                        TOUCH(m);
                        TOUCH(only);
                        assert(n[up].flags == LOCKED && n[m].flags == LOCKED);
                        assert(n[only].flags == LOCKED && n[m].upstream == up);
#ifdef FAULT_SPLICE_SHARED
                        done = 1;
#else
                        done = (n[m].rc == 1);
#endif
                        if
                        :: done ->
                            d_step {
                                fillInPrevious(up);
                                if
                                :: n[m].next != 0 -> n[n[m].next].previous = only
                                :: else
                                fi;
                                if
                                :: n[m].previous != 0 -> n[n[m].previous].next = only
                                :: else -> assert(n[up].head == m); n[up].head = only
                                fi;
                                n[only].next = n[m].next;
                                n[only].previous = n[m].previous;
#ifdef FAULT_SPLICE_KEEPS_ROLE
                                n[only].upstream = up;
#else
                                waitFor(only, up);
#endif
                                n[only].isLinked = 1;
                                n[m].result = CANCELLED;
                                n[m].head = 0;
                                n[m].flags = FAILURE
                            }
                        :: else ->
                            n[m].rc = n[m].rc + 1 + callerRetains
                        fi
                    }
                    PUSH(release, m, 0)
                :: else
                fi;
                unlock(up)
            :: else
            fi;
            PUSH(release, up, 0)
        :: else
        fi
    :: else
    fi;
    if
    :: !done -> unlock(m)
    :: else
    fi
}

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
        wasLast = 0; i = 0; x = 0; y = 0; o = nothing;
        if
        :: sp == 0 -> goto finished
        :: else
        fi;
        sp = sp - 1;
        o = sop[sp]; x = sx[sp]; y = sy[sp];
        sop[sp] = nothing; sx[sp] = 0; sy[sp] = 0
    }
    if
    :: o == nothing -> goto next

    /* MARK: Settling */

    /* Promise.resolve(with:), Future.succeed(_:), FutureNode.finish(_:) */
    :: o == resolve ->
        claimAs(x, CLAIMED);
        if
        :: ok ->
#ifdef FAULT_PUBLISH_BEFORE_WRITE
            publish(x, VALUE);
            atomic { TOUCH(x); n[x].result = SUCCESS; n[x].listens = 0 }
#else
            atomic {
                TOUCH(x);
                assert(n[x].flags == CLAIMED);
                n[x].result = SUCCESS;
                n[x].listens = 0
            }
            publish(x, VALUE);
#endif
            pushDistribute(x)
        :: else
        fi

    /* FutureNode.distribute(_:), one turn of its loop, on the list x of the settled y. */
    :: o == distribute ->
        atomic {
            TOUCH(x);
            TOUCH(y);
            /* Read first: delivering may enroll the waiter elsewhere. */
            if
            :: n[x].next != 0 -> PUSH(distribute, n[x].next, y)
            :: else
            fi;
            if
            :: PUSH(runOne, x, y)
#ifdef PUTTING_OFF
            :: lates < 3 ->
                /* putOff(_:): the depth of nesting is any. */
#ifndef FAULT_PUT_OFF_UNRETAINED
                addReference(y);
#endif
                n[x].next = 0;
                late[lates] = x;
                lates = lates + 1
#endif
            fi
        }

    /* FutureNode.leaveDelivery(), one turn of its loop. */
    :: o == leaveDelivery ->
        atomic {
            if
            :: lates == 0 -> delivering = 0
            :: else ->
                x = late[0];
                late[0] = late[1]; late[1] = late[2]; late[2] = 0;
                lates = lates - 1;
                TOUCH(x);
                y = n[x].upstream;
                PUSH(leaveDelivery, 0, 0);
#ifndef FAULT_PUT_OFF_UNRETAINED
                PUSH(release, y, 0);
#endif
                PUSH(runOne, x, y)
            fi
        }

    /* FutureNode.run(_:): x.deliver(x, y), then what becomes of the list's reference. */
    :: o == runOne ->
        atomic {
            TOUCH(x);
            TOUCH(y);
            assert(isSettled(n[y].flags) && n[y].result != NONE);
            PUSH(afterRun, x, 0);
            PUSH(receive, x, y)
        }

    :: o == afterRun ->
        atomic {
            TOUCH(x);
            if
            :: n[x].isForwarding -> PUSH(bypass, x, 0)
            :: else -> PUSH(release, x, 0)
            fi
        }

    /* Waiter.deliver of each kind. */
    :: o == receive ->
        if
        :: n[x].kind == OBSERVER ->
            atomic {
                TOUCH(x);
                TOUCH(y);
                assert(isSettled(n[y].flags) && n[y].result != NONE);
                n[x].calls = n[x].calls + 1
            }
        :: n[x].kind == TASK ->
            claimAs(x, VALUE);
            if
            :: ok -> atomic { TOUCH(x); n[x].calls = n[x].calls + 1 }
            :: else -> waitUntilLeft(x)
            fi
        :: n[x].kind == INPUT ->
            claimAs(x, VALUE);
            if
            :: ok ->
                atomic {
                    TOUCH(x);
                    assert(isSettled(n[y].flags) && n[y].result != NONE);
                    n[x].source = y;
                    addReference(y);
                    PUSH(inputSettled, n[x].owner, x)
                }
            :: else -> waitUntilLeft(x)
            fi
        :: n[x].kind == MAP || (n[x].kind == FLAT && n[x].isForwarding) ->
            atomic { PUSH(finishDerived, x, y) }
        :: n[x].kind == FLAT && !n[x].isForwarding ->
            atomic {
                TOUCH(x);
                TOUCH(y);
                ok = isPending(n[x].flags) && n[x].closure != 0;
                assert(n[y].result != NONE)
            }
            if
            :: !ok ->
                atomic {
                    if
                    :: n[x].closure != 0 -> PUSH(release, n[x].closure, 0); n[x].closure = 0
                    :: else
                    fi
                }
                waitUntilLeft(x)
            :: ok && n[y].result != SUCCESS ->
                atomic {
                    PUSH(finishDerived, x, y);
                    PUSH(release, n[x].closure, 0);
                    n[x].closure = 0
                }
            :: else ->
                atomic {
                    PUSH(release, n[x].closure, 0);
                    PUSH(follow, x, n[x].closure);
                    n[x].closure = 0
                }
            fi
        fi

    /* Future.finishDerived(as:), FutureNode.finishDerived(), FutureNode.failDerived(_:) */
    :: o == finishDerived ->
        assert(isSettled(n[y].flags) && n[y].result != NONE);
        if
        :: n[y].result == SUCCESS ->
            /* The value is in place; one exchange does all. */
            atomic {
                untilUnlocked(x);
                TOUCH(x);
                if
                :: n[x].flags == PENDING ->
                    n[x].result = SUCCESS;
                    list = n[x].head;
                    n[x].head = 0;
                    n[x].flags = VALUE;
                    ok = 1
                :: else -> ok = 0
                fi
            }
        :: else ->
            claimAs(x, CLAIMED);
            if
            :: ok ->
                atomic { TOUCH(x); n[x].result = n[y].result }
                publish(x, FAILURE)
            :: else
            fi
        fi;
        if
        :: ok -> pushDistribute(x)
        :: else -> waitUntilLeft(x)
        fi

    /* MARK: Observing */

    /* FutureNode.enroll(_:) of a new waiter x on y. */
    :: o == observe ->
        atomic { waitFor(x, y); n[x].isLinked = 1; addReference(x) }
#ifdef FAULT_ENROLL_CHECKS_ONCE
        atomic { untilUnlocked(y); TOUCH(y); ok = !isSettled(n[y].flags) }
#endif
        atomic {
            untilUnlocked(y);
            TOUCH(y);
            if
#ifdef FAULT_ENROLL_CHECKS_ONCE
            :: ok -> n[x].next = n[y].head; n[y].head = x
#else
            :: !isSettled(n[y].flags) -> n[x].next = n[y].head; n[y].head = x
#endif
            :: else -> list = x; n[x].next = 0
            fi
        }
        pushDistribute(y)

    /* TaskWaiter.wait(for:resuming:): `source` stands for the continuation. */
    :: o == await ->
        lockIfPending(x);
        if
        :: ok ->
            atomic { n[x].source = 1 }
            unlock(x);
            PUSH(enrollShared, x, y)
        :: else ->
            waitUntilLeft(x);
            PUSH(call, x, 0);
            PUSH(giveUpInterest, y, 0)
        fi

    /* FutureNode.enrollShared(_:) */
    :: o == enrollShared ->
        lockIfPending(x);
        if
        :: ok ->
            atomic { waitFor(x, y); n[x].isLinked = 0 }
            unlock(x);
            PUSH(link, x, y)
        :: else ->
            waitUntilLeft(x);
            PUSH(giveUpInterest, y, 0)
        fi

    /* FutureNode.link(_:) of the waiter x on y, which the caller holds. */
    :: o == link ->
#ifdef FAULT_LINK_BY_PUSH
        atomic {
            TOUCH(y);
            if
            :: n[y].flags == PENDING || n[y].flags == CLAIMED ->
                n[x].next = n[y].head; n[x].previous = 0; n[x].isLinked = 1;
                addReference(x); n[y].head = x; ok = 1
            :: else -> ok = 0
            fi
        }
        if
        :: !ok -> atomic { untilSettled(y); TOUCH(y); PUSH(receive, x, y) }
        :: else
        fi
#else
        lockIfPending(y);
        if
        :: !ok ->
#ifndef FAULT_LINK_DELIVERS_EARLY
            atomic { untilSettled(y); TOUCH(y) }
#endif
            PUSH(receive, x, y)
        :: else ->
#ifndef FAULT_LINK_WITHOUT_CHECK
            atomic { TOUCH(x); ok = isPending(n[x].flags) }
#endif
            if
            :: ok ->
                atomic {
                    TOUCH(y);
                    assert(n[y].flags == LOCKED);
                    n[x].next = n[y].head;
                    n[x].previous = 0;
                    n[x].isLinked = 1;
                    addReference(x);
                    n[y].head = x;
                    n[y].flags = PENDING
                }
            :: else ->
                unlock(y);
                waitUntilLeft(x);
#ifndef FAULT_LINK_FORGETS_INTEREST
                PUSH(giveUpInterest, y, 0)
#endif
            fi
        fi
#endif

    /* Future.follow(_:), FutureNode.forward(from:deliver:) */
    :: o == follow ->
        atomic { TOUCH(y); ok = isSettled(n[y].flags) }
        if
        :: ok -> PUSH(finishDerived, x, y)
        :: else ->
            lockIfPending(x);
            if
            :: ok ->
                atomic {
                    TOUCH(x);
                    waitFor(x, y);
                    n[x].isLinked = 0;
                    n[x].isForwarding = 1
                }
                unlock(x);
                PUSH(link, x, y)
            :: else ->
                waitUntilLeft(x);
#ifndef FAULT_FORWARD_FORGETS_INTEREST
                PUSH(giveUpInterest, y, 0)
#endif
            fi
        fi

    /* MARK: Cancelling */

    /* FutureNode.abort(with:) */
    :: o == cancel ->
        claimAs(x, CLAIMED);
        if
        :: ok ->
            atomic { TOUCH(x); n[x].result = CANCELLED }
#ifdef FAULT_ABORT_WITHOUT_LEAVING
            publish(x, FAILURE);
#else
            publish(x, LEAVING);
#endif
            PUSH(walked, list, x);
            PUSH(step, x, 0)
        :: else
        fi

    /* TaskWaiter.cancel(); afterwards it resumes the task, if that waits already. */
    :: o == cancelTask ->
        claimAs(x, LEAVING);
        if
        :: ok ->
            if
            :: n[x].source == 1 -> PUSH(call, x, 0)
            :: else
            fi;
            PUSH(walked, 0, 0);
            PUSH(step, x, 0)
        :: else
        fi

    /* Departure.step(_:). If y, this thread owns a reference besides: that of retainUpstream. */
    :: o == step ->
        /* surrender(to:) */
        atomic {
            TOUCH(x);
            if
            :: n[x].listens -> calling[x] = 1; n[x].listens = 0
            :: else
            fi
        }
        if
        :: n[x].kind == RACE && n[x].holdsInputs ->
            /* Departure.giveUp(_:) */
            n[x].holdsInputs = 0;
            i = 1;
            do
            :: i <= NODES && n[i].owner == x ->
                claimAs(i, LEAVING);
                if
                :: ok -> PUSH(step, i, 0)
                :: else
                fi;
                retained[i] = retained[i] + 1;
                i++
            :: i <= NODES && n[i].owner != x -> i++
            :: i > NODES -> break
            od
        :: else
        fi;
#ifdef FAULT_LEFT_TOO_EARLY
        atomic { TOUCH(x); n[x].flags = FAILURE }
#endif
        retainUpstream(x);
#ifdef FAULT_INTEREST_BEFORE_LOCK
        if
        :: up != 0 -> atomic { wasLast = (n[up].head == x && n[x].next == 0) }
        :: else
        fi;
#endif
        if
        :: up != 0 ->
            /* FutureNode.remove(_:) */
            lockIfPending(up);
            if
            :: ok ->
#ifdef FAULT_UNLOCK_BEFORE_UNLINK
                wasLinked = n[x].isLinked;
                unlock(up);
                if
                :: wasLinked ->
                    atomic { ok = (n[up].head == x); list = n[x].next }
                    if
                    :: ok -> n[up].head = list
                    :: else -> n[n[up].head].next = list
                    fi;
                    list = 0;
                    n[x].isLinked = 0;
                    lockIfPending(up);
                    if
                    :: ok -> atomic { d_step { unlockWithoutInterest(up) } }
                    :: else
                    fi
                :: else
                fi
#else
                atomic {
                    TOUCH(up);
                    TOUCH(x);
                    assert(n[up].flags == LOCKED);
#ifdef FAULT_REMOVE_UNLINKED
                    wasLinked = 1;
#else
                    wasLinked = n[x].isLinked;
#endif
                    if
                    :: wasLinked -> d_step { unlink(x, up); unlockWithoutInterest(up) }
                    :: else -> n[up].flags = PENDING
                    fi
                }
#endif
            :: else
            fi
        :: else
        fi;
        if
        :: wasLinked ->
            /* The list's reference passes to `removed`; ours is one too many. */
            removed[x] = removed[x] + 1;
            if
            :: y -> atomic { assert(n[x].rc > 1); n[x].rc = n[x].rc - 1 }
            :: else
            fi
        :: else ->
            retained[x] = retained[x] + 1;
            if
            :: !y -> atomic { addReference(x) }
            :: else
            fi
        fi;
#ifdef FAULT_RELEASE_IN_PHASE
        /* As if a `release` of the upstream stood here, and its deinit waited. */
        if
        :: up != 0 && !alone ->
            atomic {
                n[up].rc = n[up].rc - 1;
                if
                :: n[up].rc == 0 -> n[up].life = DEINIT; ok = 1
                :: else -> ok = 0
                fi
            }
            if
            :: ok ->
                claimAs(up, CLAIMED);
                n[up].result = FAILED;
                publish(up, FAILURE);
                do
                :: list != 0 -> waitUntilLeft(list); list = n[list].next
                :: else -> break
                od;
                n[up].life = FREED
            :: else
            fi;
            up = 0
        :: else
        fi;
#endif
        /* The last touch: from here on the upstream's owner goes on. */
        atomic {
            TOUCH(x);
#ifndef FAULT_LEFT_TOO_EARLY
#ifndef FAULT_ABORT_WITHOUT_LEAVING
            assert(n[x].flags == LEAVING);
#endif
#endif
            n[x].flags = FAILURE
        }
        if
        :: alone -> PUSH(step, up, 1)
        :: !alone && up != 0 -> retained[up] = retained[up] + 1
        :: else
        fi

    /* The loop has ended: what it put aside is dropped, after the list x of y is run. */
    :: o == walked ->
        atomic {
            i = 1;
            do
            :: i <= NODES ->
                if
                :: calling[i] -> PUSH(call, i, 0); calling[i] = 0
                :: else
                fi;
                i++
            :: else -> break
            od;
            i = 1;
            do
            :: i <= NODES ->
                do
                :: retained[i] > 0 -> PUSH(release, i, 0); retained[i] = retained[i] - 1
                :: else -> break
                od;
                i++
            :: else -> break
            od;
            i = 1;
            do
            :: i <= NODES ->
                if
                :: removed[i] > 0 ->
                    assert(removed[i] == 1);
                    PUSH(release, i, 0);
                    PUSH(withdraw, i, 0);
                    removed[i] = 0
                :: else
                fi;
                i++
            :: else -> break
            od;
            list = x
        }
        pushDistribute(y)

    /* Waiter.withdraw() */
    :: o == withdraw ->
        atomic {
            TOUCH(x);
            if
            :: n[x].closure != 0 -> PUSH(release, n[x].closure, 0); n[x].closure = 0
            :: else
            fi
        }

    /* A cancel handler is called; or a task resumed. Neither needs the node any more. */
    :: o == call ->
        atomic {
            if
            :: n[x].kind == TASK -> n[x].calls = n[x].calls + 1
            :: else -> n[x].heard = n[x].heard + 1
            fi
        }

    /* FutureNode.giveUpInterest() */
    :: o == giveUpInterest ->
        lockIfPending(x);
        if
        :: ok ->
            atomic { d_step { wasLast = (n[x].head == 0); unlockWithoutInterest(x) } }
            if
            :: alone -> PUSH(walked, 0, 0); PUSH(step, x, 0)
            :: else
            fi
        :: else
        fi

    /* FutureNode.addCancelHandler(_:) */
    :: o == onCancel ->
        lockIfPending(x);
        if
        :: ok ->
            atomic {
                TOUCH(x);
                done = n[x].wasGivenUp && n[x].head == 0;
                n[x].listens = 1
            }
            unlock(x);
#ifndef FAULT_LATE_HANDLER_UNTOLD
            if
            :: done -> PUSH(giveUpInterest, x, 0)
            :: else
            fi
#endif
        :: else ->
            atomic {
                untilSettled(x);
                TOUCH(x);
                if
                :: n[x].result == CANCELLED -> PUSH(call, x, 0)
                :: else
                fi
            }
        fi

    /* MARK: Releasing */

    /* One more reference, for a handler or a user. */
    :: o == retain -> atomic { addReference(x) }

    :: o == release ->
        atomic {
            TOUCH(x);
            assert(n[x].life == ALIVE && n[x].rc > 0);
            n[x].rc = n[x].rc - 1;
            if
            :: n[x].rc == 0 ->
                n[x].life = DEINIT;
                PUSH(free, x, 0);
                if
                :: n[x].kind == PROMISE && !isSettled(n[x].flags) ->
                    /* Had it lost all interest, its producer would have been told. */
                    assert(!(n[x].listens && n[x].left && n[x].head == 0));
                    PUSH(abandon, x, 0)
                :: else
                fi
            :: else
            fi
        }

    /* Promise.deinit, FutureNode.abandon(_:to:) */
    :: o == abandon ->
        claimAs(x, CLAIMED);
        assert(ok);
        atomic {
            n[x].result = FAILED;
            y = n[x].heir;
            assert(n[y].life == NOWHERE);
            n[y].life = ALIVE;
            n[y].rc = 1;
            n[y].result = FAILED;
            n[y].flags = FAILURE
        }
        publish(x, FAILURE);
        PUSH(release, y, 0);
        up = list;
        do
        :: up != 0 ->
            lockIfPending(up);
            if
            :: ok ->
#ifndef FAULT_ABANDON_WITHOUT_HEIR
                atomic { waitFor(up, y) }
#endif
                unlock(up)
            :: else ->
#ifndef FAULT_ABANDON_WITHOUT_WAIT
                waitUntilLeft(up);
#endif
#ifndef FAULT_ABANDON_WITHOUT_HEIR
                atomic { TOUCH(up); waitFor(up, y) }
#endif
            fi;
            atomic { TOUCH(up); up = n[up].next }
        :: else -> break
        od;
        pushDistribute(y)

    /* The object goes, with what it owns. */
    :: o == free ->
        atomic {
            assert(n[x].life == DEINIT && n[x].rc == 0 && n[x].head == 0);
            assert(!isFuture(n[x].kind) || n[x].flags == VALUE || n[x].flags == FAILURE);
            n[x].life = FREED;
            if
            :: n[x].closure != 0 -> PUSH(release, n[x].closure, 0)
            :: else
            fi;
            if
            :: n[x].kind == INPUT ->
                PUSH(release, n[x].owner, 0);
                if
                :: n[x].source != 0 -> PUSH(release, n[x].source, 0)
                :: else
                fi
            :: else
            fi;
            assert(!n[x].holdsInputs)
        }

    /* MARK: Linking */

    /* FutureNode.bypass(_:) of x, of which this thread owns a reference. */
    :: o == bypass ->
        /* lockWithOnlyWaiter(), the second part; the first is `shorten`. */
        if
        :: !y ->
            PUSH(bypass, x, 1);
            PUSH(shorten, x, 0)
        :: else ->
            atomic { TOUCH(x); ok = (n[x].head != 0) }
            if
            :: ok -> lockIfPending(x)
            :: else
            fi;
            if
            :: ok ->
                i = n[x].head;
                if
                :: i != 0 && n[i].next == 0 -> tryLock(i)
                :: else -> ok = 0
                fi;
                if
                :: ok && n[i].isForwarding ->
                    splice(x, i, 1);
                    unlock(i);
                    ok = done
                :: ok && !n[i].isForwarding ->
                    unlock(i);
                    unlock(x);
                    ok = 0
                :: else -> unlock(x)
                fi
            :: else
            fi;
            if
            :: !ok -> PUSH(release, x, 0)
            :: else
            fi
        fi

    /* FutureNode.shorten() */
    :: o == shorten ->
        if
        :: n[x].isForwarding -> lockIfPending(x)
        :: else
        fi;
        if
        :: ok ->
            i = n[x].upstream;
            if
            :: n[x].upstreamIsRoot || i == 0 -> ok = 0
            :: else -> tryLock(i)
            fi;
            if
            :: ok -> splice(i, x, 0)
            :: else
            fi;
            unlock(x)
        :: else
        fi

    /* Future.flatMap(_:) of a settled future y: x is the new one. */
    :: o == flatMapSettled ->
        PUSH(shorten, x, 0);
        PUSH(receive, x, y)

    /* MARK: Aggregates */

    /* Aggregate.inputSettled(_:), settle(as:), end(_:) under the rule `first`. */
    :: o == inputSettled ->
        claimAs(x, CLAIMED);
        if
        :: ok ->
            atomic { TOUCH(x); n[x].result = n[n[y].source].result; n[x].holdsInputs = 0 }
            i = 1;
            up = sp;
            sp = sp + 1;
            do
            :: i <= NODES && n[i].owner == x ->
                claimAs(i, LEAVING);
                if
                :: ok -> PUSH(step, i, 0)
                :: else
                fi;
                retained[i] = retained[i] + 1;
                i++
            :: i <= NODES && n[i].owner != x -> i++
            :: i > NODES -> break
            od;
            if
            :: n[x].result == SUCCESS -> publish(x, VALUE)
            :: else -> publish(x, FAILURE)
            fi;
            atomic { sop[up] = walked; sx[up] = list; sy[up] = x }
        :: else
        fi
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
            assert(n[k].life == FREED || (n[k].kind == HEIR && n[k].life == NOWHERE)
                || n[k].kind == UNUSED);
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
