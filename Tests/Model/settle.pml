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

/* Promise.resolve(with:), Future.succeed(_:), FutureNode.settle(_:as:) */
inline doResolve() {
    close(x);
    if
    :: ok ->
#ifdef FAULT_SETTLE_BEFORE_WRITE
        settle(x, VALUE);
        atomic { TOUCH(x); n[x].result = SUCCESS; n[x].listens = 0 }
#else
        atomic {
            TOUCH(x);
            assert(n[x].flags == CLOSED);
            n[x].result = SUCCESS;
            n[x].listens = 0
        }
        settle(x, VALUE);
#endif
        pushDistribute(x)
    :: else
    fi
}

/* Future.finishDerived(as:), FutureNode.finishDerived(), FutureNode.failDerived(_:) */
inline doFinishDerived() {
    assert(isSettled(n[y].flags) && n[y].result != NONE);
    if
    :: n[y].result == SUCCESS ->
        /* The value is in place, read from the upstream; one exchange does all. */
        atomic { readStorage(y) }
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
        close(x);
        if
        :: ok ->
            atomic { TOUCH(x); n[x].result = n[y].result }
            settle(x, FAILURE)
        :: else
        fi
    fi;
    if
    :: ok -> pushDistribute(x)
    :: else -> waitUntilLeft(x)
    fi
}

/* FutureNode.distribute(_:), one turn of its loop, on the list x of the settled y. */
inline doDistribute() {
    atomic {
        TOUCH(x);
        TOUCH(y);
#ifdef FAULT_NEXT_READ_LATE
        if
        :: isFuture(n[x].kind) -> PUSH(nextLate, x, y)
        :: !isFuture(n[x].kind) && n[x].next != 0 -> PUSH(distribute, n[x].next, y)
        :: else
        fi;
#else
        /* Read first: delivering may enroll the waiter elsewhere. */
        if
        :: n[x].next != 0 -> PUSH(distribute, n[x].next, y)
        :: else
        fi;
#endif
        if
        :: PUSH(runOne, x, y)
        :: PUTTING_OFF && lates < 3 ->
            /* putOff(_:): the depth of nesting is any. */
#ifndef FAULT_PUT_OFF_UNRETAINED
            addReference(y);
#endif
            n[x].next = 0;
            late[lates] = x;
            lates = lates + 1
        fi
    }
}

#ifdef FAULT_NEXT_READ_LATE
inline doNextLate() {
    atomic {
        if
        :: n[x].next != 0 -> PUSH(distribute, n[x].next, y)
        :: else
        fi
    }
}
#endif

/* FutureNode.leaveDelivery(), one turn of its loop. */
inline doLeaveDelivery() {
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
}

/* FutureNode.run(_:): x.deliver(x, y), then what becomes of the list's reference. */
inline doRunOne() {
    atomic {
        TOUCH(x);
        TOUCH(y);
        assert(isSettled(n[y].flags) && n[y].result != NONE);
        PUSH(afterRun, x, 0);
        PUSH(receive, x, y)
    }
}

inline doAfterRun() {
    atomic {
        TOUCH(x);
        if
        :: n[x].isForwarding -> PUSH(bypass, x, 0)
        :: else -> PUSH(release, x, 0)
        fi
    }
}

/* Waiter.deliver of each kind. */
inline doReceive() {
    if
    :: n[x].kind == OBSERVER ->
        atomic {
            TOUCH(x);
            TOUCH(y);
            assert(isSettled(n[y].flags) && n[y].result != NONE);
            n[x].calls = n[x].calls + 1;
            if
            :: n[x].does != 0 -> PUSH(release, n[x].to, 0); PUSH(n[x].does, n[x].to, 0)
            :: else
            fi
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
    :: n[x].kind == TIMED ->
        claimAs(x, CLAIMED);
        if
        :: ok ->
            atomic { TOUCH(y); n[x].result = n[y].result }
#ifdef FAULT_STORAGE_OF_FAILED
            atomic { readStorage(y) }
#endif
            if
            :: n[x].result == SUCCESS -> atomic { readStorage(y) } publish(x, VALUE)
            :: else -> publish(x, FAILURE)
            fi;
            pushDistribute(x)
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
                n[x].closure = 0;
                n[x].started = 1
            }
        fi
    fi
}
