/* What comes after unlocking to a settled word, in FutureNode.settle(as:dropping:): the nodes of the
   list are notified, then the handlers are released. */
inline pushSettled(x) {
    if
    :: done -> PUSH(dropHandlers, x, 0)
    :: else
    fi;
    pushList(x)
}

inline pushList(x) {
    if
    :: list != 0 -> PUSH(distribute, x, list)
    :: else
    fi
}

/* Promise.resolve(with:), Future.succeed(_:); `y` if a timer's action calls it. */
inline doResolve() {
    lockIfPending(x);
    if
    :: ok ->
#ifdef FAULT_SETTLE_BEFORE_WRITE
        atomic { TOUCH(x); list = n[x].head; done = n[x].listens; unlockTo(x, VALUE) }
        atomic { TOUCH(x); n[x].result = SUCCESS; n[x].listens = 0 }
#else
        atomic { TOUCH(x); n[x].result = SUCCESS }
        atomic {
            TOUCH(x);
            assert(n[x].flags == LOCKED);
            done = n[x].listens;
            n[x].listens = 0;
            list = n[x].head;
#ifndef FAULT_TURNS_LIST_LOCKED
            unlockTo(x, VALUE)
#endif
        }
#ifdef FAULT_TURNS_LIST_LOCKED
        /* As if the list were turned round before the word says that it is taken. */
        atomic {
            other = list;
            do
            :: other != 0 -> TOUCH(other); turn(); other = n[other].next
            :: else -> break
            od;
            unlockTo(x, VALUE)
        }
#endif
#endif
        atomic {
            if
            :: y -> PUSH(takeTimer, x, 0)
            :: else
            fi;
            pushSettled(x)
        }
    :: else
    fi
}

/* FutureNode.fail(_:), with the failure y. */
inline doFail() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            n[x].result = y;
            done = n[x].listens;
            n[x].listens = 0;
            list = n[x].head;
            unlockTo(x, FAILURE);
            pushSettled(x)
        }
    :: else
    fi
}

/* FutureNode.failDerived(_:): a derived future has no handlers. */
inline doFailDerived() {
    lockIfPending(x);
    if
    :: ok ->
        atomic {
            TOUCH(x);
            n[x].result = y;
            list = n[x].head;
            unlockTo(x, FAILURE);
            pushList(x)
        }
    :: else -> waitUntilDetached(x)
    fi
}

/* One exchange that settles a derived future whose value is in place: FutureNode.finishDerived(). */
inline exchangeToValue(x) {
#ifdef FAULT_FINISH_BY_STORE
    atomic { untilUnlocked(x); TOUCH(x); ok = (n[x].flags == PENDING); list = n[x].head }
    atomic {
        if
        :: ok -> n[x].result = SUCCESS; n[x].head = 0; n[x].flags = VALUE
        :: else
        fi
    }
#else
    atomic {
#ifndef FAULT_FINISH_WHILE_LOCKED
        untilUnlocked(x);
#endif
        TOUCH(x);
        if
        :: isPending(n[x].flags) ->
            n[x].result = SUCCESS;
            list = n[x].head;
            n[x].head = 0;
            n[x].flags = VALUE;
            ok = 1
        :: else -> ok = 0
        fi
    }
#endif
}

/* Future.finishDerived(as:) */
inline doFinishDerived() {
    assert(isSettled(n[y].flags) && n[y].result != NONE);
    if
    :: n[y].result == SUCCESS ->
        atomic { readStorage(y) }
        exchangeToValue(x);
        if
        :: ok -> atomic { pushList(x) }
        :: else -> waitUntilDetached(x)
        fi
    :: else -> atomic { PUSH(failDerived, x, n[y].result) }
    fi
}

/* FutureNode.settleGivingUp(as:calling:) of a derived future, after the unlocking. */
inline pushGivingUp(x) {
#ifdef FAULT_SETTLES_BEFORE_GIVING_UP
    PUSH(finish, 0, 0);
#endif
    pushList(x);
#ifndef FAULT_SETTLES_BEFORE_GIVING_UP
    PUSH(finish, 0, 0);
#endif
    PUSH(detachInputs, 0, 0);
    PUSH(step, x, 0)
}
