-------------------------------- MODULE Lane --------------------------------
(* One lane: producers, an exact position, the chain of turns, parked        *)
(* deliveries, order per key, and one side lane, under crashes, failovers    *)
(* and zombies. What it shows: nothing that was committed is lost, nothing   *)
(* that was rolled back is sent, first deliveries of a key keep their order. *)
(*                                                                           *)
(* A SESSION is one taking of the lane, with an owner id of its own. The     *)
(* next session may take the lane at any time, so leases are never needed    *)
(* for safety; a session that was taken from does not know it (a zombie) and *)
(* finds out with its next turn. A DELIVERY is <<number, destination>>. A    *)
(* send and its answer are one step: before it the delivery is on its way    *)
(* ("go"), after it the answer is known in memory only ("ok" or "bad").      *)
EXTENDS Naturals, Sequences, FiniteSets

CONSTANTS
  Messages,      \* how many numbers the log has
  Keys,          \* how many keys they share: number n has key n % Keys
  Destinations,  \* each message goes to all of them
  Scope,         \* the destination whose deliveries may leave for the side lane
  Sessions,      \* how many takings there can be
  Synchronous,   \* TRUE: a turn that was acknowledged survives a failover
  Prepares,      \* TRUE: a producer may PREPARE its transaction before it ends
  Crashes, Failovers, Refusals, Openings,   \* how many of each there can be
  Forgets,       \* how many commits a failover can lose
  Mistake        \* "none", or one of those at the bottom

VARIABLES
  db,        \* the database, see Init
  past,      \* earlier states of it that a failover can bring back, newest first
  on,        \* session -> "new", "on", "off"
  mem,       \* session -> what it remembers
  look,      \* session -> what its last look saw
  left,      \* how many faults of each kind are still to come
  received,  \* <<session, delivery, generation>>: what arrived at a destination
  wrong      \* names of things that must never happen
vars == <<db, past, on, mem, look, left, received, wrong>>

Numbers == 1..Messages
Sess == 1..Sessions
Deliveries == Numbers \X Destinations
KeyOf(n) == n % Keys
Max(set) == CHOOSE m \in set : \A other \in set : other <= m

(* The position: everything up to `reached` is done or parked, but for the   *)
(* open numbers (drawn, not seen yet; kept once, for both lanes) and what is *)
(* under way. The side lane has a `reached` and a `way` of its own.          *)
NoSide == [on |-> FALSE, reached |-> 0, way |-> {}]
Start == [reached |-> 0, open |-> {}, way |-> {}, side |-> NoSide]

Resting == [x \in Deliveries |-> <<"-", 0>>]   \* <<state, generation of the number>>
Blank == [turn |-> 0, pos |-> Start, wait |-> {}, fly |-> Resting, gone |-> {}]
NoLook == [rows |-> {}, first |-> {}, close |-> {}, gen |-> <<>>]

Init ==
  /\ db = [tx     |-> [n \in Numbers |-> "free"],  \* free, open, prep, com, abo
           gen    |-> [n \in Numbers |-> 0],       \* a number may be drawn again after a failover
           turn   |-> 0, owner |-> 0,              \* the last turn, and whose it is
           pos    |-> Start,
           park   |-> [x \in Deliveries |-> "-"],  \* -, waiting, dead, done
           record |-> {}]                          \* what turns have said was delivered
  /\ past = <<>> /\ received = {} /\ wrong = {}
  /\ on = [s \in Sess |-> "new"] /\ mem = [s \in Sess |-> Blank] /\ look = [s \in Sess |-> NoLook]
  /\ left = [crash |-> Crashes, failover |-> Failovers, refusal |-> Refusals, opening |-> Openings]

(* What a failover could bring back after this commit. Producers may commit  *)
(* asynchronously; a turn of the owner that was acknowledged seals the past. *)
Remembered == IF left.failover = 0 THEN <<>>
              ELSE LET all == <<db>> \o past IN IF Len(all) > Forgets THEN SubSeq(all, 1, Forgets) ELSE all
Sealed == IF Synchronous /\ Mistake # "warningIsAck" THEN <<>> ELSE Remembered

-----------------------------------------------------------------------------
(* PRODUCERS: one transaction per number. A key is locked before its number  *)
(* is drawn; that is why order per key can be promised at all.               *)
Visible == {n \in Numbers : db.tx[n] = "com"}
Draw(n) ==
  /\ db.tx[n] = "free" /\ \A m \in 1..(n - 1) : db.tx[m] # "free"
  /\ \A m \in Numbers : KeyOf(m) = KeyOf(n) => db.tx[m] \notin {"open", "prep"}
  /\ db' = [db EXCEPT !.tx[n] = "open", !.gen[n] = 1 + Failovers - left.failover]
  /\ UNCHANGED <<past, on, mem, look, left, received, wrong>>
End(n, how) ==
  /\ db.tx[n] \in {"open", "prep"} /\ how # db.tx[n]
  /\ how = "prep" => Prepares
  /\ db' = [db EXCEPT !.tx[n] = how] /\ past' = Remembered
  /\ UNCHANGED <<on, mem, look, left, received, wrong>>

-----------------------------------------------------------------------------
(* TAKING: a turn that anybody may append. Blocked keys are loaded with it.  *)
Waiting == {x \in Deliveries : db.park[x] = "waiting"}
FreshTurn == CHOOSE t \in 1..(Sessions + Forgets + 2) :
               t \notin {db.turn} \cup {mem[s].turn : s \in Sess} \cup {past[i].turn : i \in 1..Len(past)}
WholeRows(way) == {x \in Deliveries : \E y \in way : y[1] = x[1]}
Take(s) ==
  /\ on[s] = "new" /\ \A z \in 1..(s - 1) : on[z] # "new"
  /\ db' = [db EXCEPT !.turn = FreshTurn, !.owner = s] /\ past' = Sealed
  /\ on' = [on EXCEPT ![s] = "on"]
  /\ mem' = [mem EXCEPT ![s] = [Blank EXCEPT
               !.turn = FreshTurn,
               !.pos  = IF Mistake = "holePerRow" THEN [db.pos EXCEPT !.way = WholeRows(@)] ELSE db.pos,
               !.wait = IF Mistake = "forgetBlocked" THEN {} ELSE Waiting]]
  /\ UNCHANGED <<look, left, received, wrong>>

(* LOOKING. First, for open numbers: has whoever could have drawn them ended?*)
(* (the locks on the sequence). Then, in a later snapshot: the rows.         *)
MayStillCommit(n) == db.tx[n] = "open" \/ (db.tx[n] = "prep" /\ Mistake # "xidsOnly")
Witness(s) == LET gone == {n \in mem[s].pos.open : ~MayStillCommit(n)} IN
  /\ on[s] = "on" /\ gone # mem[s].gone
  /\ mem' = [mem EXCEPT ![s].gone = gone]
  /\ UNCHANGED <<db, past, on, look, left, received, wrong>>
Look(s) ==
  LET again == Mistake = "twoSnapshots" /\ look[s] # NoLook
      seen == [rows  |-> Visible, gen |-> db.gen,
               first |-> IF again THEN look[s].first ELSE Visible,   \* the snapshot for open numbers
               close |-> mem[s].gone \ Visible]                      \* ended, and yet no row: they never come
  IN /\ on[s] = "on" /\ seen # look[s]
     /\ look' = [look EXCEPT ![s] = seen]
     /\ UNCHANGED <<db, past, on, mem, left, received, wrong>>

-----------------------------------------------------------------------------
(* THE TURN. It is appended only if the last turn is the remembered one.     *)
Follows(s) == IF Mistake = "epochOnly" THEN db.owner = s ELSE db.turn = mem[s].turn
Fenced(s) ==
  /\ on[s] = "on" /\ look[s] # NoLook /\ ~Follows(s)
  /\ on' = [on EXCEPT ![s] = "off"] /\ look' = [look EXCEPT ![s] = NoLook]
  /\ mem' = IF Mistake = "staleAnswers" THEN mem ELSE [mem EXCEPT ![s] = Blank]
  /\ UNCHANGED <<db, past, left, received, wrong>>

InScope(x) == IF Mistake = "scopeCutsKey" THEN x[1] = 1 ELSE x[2] = Scope
BySide(pos, x) == pos.side.on /\ InScope(x)

(* What the position becomes when the rows of look l are read and the        *)
(* deliveries in `ended` need nothing more. The side lane reads on only if   *)
(* readSide; it never reads beyond the main lane, and never an open number.  *)
Read(s, pos, l, ended, readSide) ==
  LET to == Max(l.rows \cup {pos.reached})
      closed == CASE Mistake = "timer" -> Numbers \ l.rows
                  [] Mistake = "snapshotFirst" -> mem[s].gone \ l.rows
                  [] OTHER -> l.close
      appeared == (pos.open \cap l.first) \cup {n \in l.rows : n > pos.reached}
      open == ((pos.open \ closed) \cup ((pos.reached + 1)..to)) \ appeared
      sideTo == IF pos.side.on /\ readSide THEN to ELSE pos.side.reached
      mine == {x \in Deliveries : x[1] \in appeared /\ ~BySide(pos, x)}
      handed == {x \in Deliveries : x[1] \in appeared /\ BySide(pos, x) /\ x[1] <= pos.side.reached}
      its == {x \in Deliveries : BySide(pos, x) /\ x[1] > pos.side.reached /\ x[1] <= sideTo
                                 /\ x[1] \in l.rows \ open}
  IN [reached |-> to, open |-> open, way |-> (pos.way \cup mine) \ ended,
      side |-> [pos.side EXCEPT !.reached = sideTo, !.way = (@ \cup handed \cup its) \ ended]]

(* Opening moves what is under way in the scope; merging moves it back.      *)
Move(pos, move) ==
  LET scoped == {x \in pos.way : InScope(x)} IN
  CASE move = "open"  -> [pos EXCEPT !.way = @ \ scoped,
                                     !.side = [on |-> TRUE, reached |-> pos.reached,
                                               way |-> IF Mistake = "sideNoFlight" THEN {} ELSE scoped]]
    [] move = "merge" -> [pos EXCEPT !.way = @ \cup pos.side.way, !.side = NoSide]
    [] OTHER -> pos

MayMove(pos, move, readSide) ==
  /\ readSide => pos.side.on
  /\ move = "open" => ~pos.side.on /\ left.opening > 0
  /\ move = "merge" => pos.side.on /\ (readSide \/ Mistake = "mergeEarly")   \* both have read equally far

Commit(s, retry, readSide, move, acknowledged) ==
  LET fly == mem[s].fly   l == look[s]
      oks == {x \in Deliveries : fly[x][1] = "ok"}
      bads == {x \in Deliveries : fly[x][1] = "bad"}
      last == bads \cap Waiting                       \* the second refusal is the end
      read == Read(s, mem[s].pos, l, oks \cup bads, readSide)
      pos == Move(read, move)
      start == {x \in read.way \cup (IF readSide THEN read.side.way ELSE {}) : fly[x][1] = "-"}
      again == IF retry THEN {x \in Waiting : fly[x][1] = "-"} ELSE {}
      genOf(x) == IF x \in start /\ x[1] \in l.rows THEN l.gen[x[1]] ELSE db.gen[x[1]]
      flying == [x \in Deliveries |-> CASE x \in start \cup again -> <<"go", genOf(x)>>
                                        [] x \in oks \cup bads -> <<"-", 0>>
                                        [] OTHER -> fly[x]]
      wait == IF Mistake = "keysPerLane" /\ move # "none" THEN {}
              ELSE (mem[s].wait \cup bads) \ (oks \cup last)
  IN
  /\ on[s] = "on" /\ l # NoLook /\ Follows(s) /\ MayMove(mem[s].pos, move, readSide)
  /\ retry => Waiting # {}
  /\ acknowledged \/ (left.crash > 0 /\ s < Sessions)
  /\ pos # mem[s].pos \/ oks \cup bads \cup start \cup again # {}
  /\ db' = [db EXCEPT !.turn = FreshTurn, !.owner = s, !.pos = pos,
              !.record = @ \cup {<<x, fly[x][2]>> : x \in oks},
              !.park = [x \in Deliveries |-> CASE x \in last -> "dead" [] x \in bads -> "waiting"
                                               [] x \in oks \cap Waiting -> "done" [] OTHER -> @[x]]]
  /\ wrong' = wrong \cup (IF \E x \in start \cup again : <<x, flying[x][2]>> \in db.record THEN {"done again"} ELSE {})
  /\ left' = [left EXCEPT !.opening = IF move = "open" THEN @ - 1 ELSE @, !.crash = IF acknowledged THEN @ ELSE @ - 1]
  /\ look' = [look EXCEPT ![s] = NoLook] /\ UNCHANGED received
  /\ IF acknowledged
     THEN /\ past' = Sealed /\ UNCHANGED on
          /\ mem' = [mem EXCEPT ![s] = [turn |-> FreshTurn, pos |-> pos, fly |-> flying, gone |-> {}, wait |-> wait]]
     ELSE /\ past' = Remembered                                     \* in doubt: written, no answer. Forget all.
          /\ on' = [on EXCEPT ![s] = "off"] /\ mem' = [mem EXCEPT ![s] = Blank]

-----------------------------------------------------------------------------
(* SENDING. Nothing looks at the lease or the chain here: a zombie sends     *)
(* what its turns had covered. One of a key is on its way at a time.         *)
KeyIsFree(s, x) == \A y \in Deliveries :
  (y[2] = x[2] /\ y[1] < x[1] /\ KeyOf(y[1]) = KeyOf(x[1]))
     => mem[s].fly[y][1] \notin {"go", "bad"} /\ y \notin mem[s].wait
Covered(s, x) == mem[s].fly[x][1] = "go"
TooEarly(s, x) == /\ Mistake = "sendFirst" /\ look[s] # NoLook /\ mem[s].fly[x][1] = "-"
                  /\ x[1] \in look[s].rows /\ (x[1] > mem[s].pos.reached \/ x[1] \in mem[s].pos.open)
Send(s, x, ok) ==
  LET gen == IF Covered(s, x) THEN mem[s].fly[x][2] ELSE look[s].gen[x[1]]
      arrival == <<s, x, gen>> IN
  /\ on[s] = "on" /\ (Covered(s, x) \/ TooEarly(s, x)) /\ KeyIsFree(s, x) /\ (ok \/ left.refusal > 0)
  /\ mem' = [mem EXCEPT ![s].fly[x] = <<IF ok THEN "ok" ELSE "bad", gen>>]
  /\ received' = IF ok THEN received \cup {arrival} ELSE received
  /\ wrong' = wrong \cup (IF ok /\ arrival \in received THEN {"twice in one session"} ELSE {})
                    \cup (IF ok /\ ~Covered(s, x) /\ <<x, gen>> \in db.record THEN {"done again"} ELSE {})
  /\ left' = [left EXCEPT !.refusal = IF ok THEN @ ELSE @ - 1]
  /\ UNCHANGED <<db, past, on, look>>
StaleAnswer(s, z, x) ==          \* only as a mistake: a fenced session's answer is taken for the owner's
  /\ Mistake = "staleAnswers" /\ on[z] = "off" /\ on[s] = "on"
  /\ Covered(s, x) /\ mem[z].fly[x][1] \in {"ok", "bad"}
  /\ mem' = [mem EXCEPT ![s].fly[x][1] = mem[z].fly[x][1]]
  /\ UNCHANGED <<db, past, on, look, left, received, wrong>>

-----------------------------------------------------------------------------
(* FAULTS. There is always a session left that can take the lane.            *)
Spare == \E s \in Sess : on[s] = "new"
Crash(s) ==
  /\ on[s] = "on" /\ left.crash > 0 /\ Spare
  /\ on' = [on EXCEPT ![s] = "off"] /\ left' = [left EXCEPT !.crash = @ - 1]
  /\ mem' = [mem EXCEPT ![s] = Blank] /\ look' = [look EXCEPT ![s] = NoLook]
  /\ UNCHANGED <<db, past, received, wrong>>
(* The last k commits are gone, and the owners live on. A transaction that   *)
(* was open is rolled back; its number may be drawn again, or never.         *)
Failover(k, drawnAgain) ==
  /\ left.failover > 0 /\ k <= Len(past) /\ Spare
  /\ db' = [past[k] EXCEPT !.tx = [n \in Numbers |->
              IF @[n] # "open" THEN @[n]
              ELSE IF drawnAgain /\ \A m \in n..Messages : @[m] \in {"open", "free"} THEN "free" ELSE "abo"]]
  /\ past' = <<>> /\ left' = [left EXCEPT !.failover = @ - 1]
  /\ look' = IF Mistake = "lookSurvives" THEN look ELSE [s \in Sess |-> NoLook]   \* the connections are gone
  /\ mem' = [s \in Sess |-> [mem[s] EXCEPT !.gone = {}]]                           \* and with them the witnesses
  /\ UNCHANGED <<on, received, wrong>>

Next ==
  \/ \E n \in Numbers : Draw(n) \/ \E how \in {"prep", "com", "abo"} : End(n, how)
  \/ \E s \in Sess :
       \/ Take(s) \/ Witness(s) \/ Look(s) \/ Fenced(s) \/ Crash(s)
       \/ \E retry, readSide, acknowledged \in BOOLEAN, move \in {"none", "open", "merge"} :
            Commit(s, retry, readSide, move, acknowledged)
       \/ \E x \in Deliveries : (\E ok \in BOOLEAN : Send(s, x, ok)) \/ \E z \in Sess : StaleAnswer(s, z, x)
  \/ \E k \in 1..Forgets, drawnAgain \in BOOLEAN : Failover(k, drawnAgain)
Spec == Init /\ [][Next]_vars

Orphan == ~\E s \in Sess : on[s] = "on" /\ Follows(s)
FairSpec == Spec /\ \A s \in Sess :
  /\ WF_vars(Take(s) /\ Orphan) /\ WF_vars(Witness(s)) /\ WF_vars(Look(s)) /\ WF_vars(Fenced(s))
  /\ \A retry, readSide \in BOOLEAN : WF_vars(Commit(s, retry, readSide, "none", TRUE))
  /\ WF_vars(\E x \in Deliveries : Send(s, x, TRUE))

-----------------------------------------------------------------------------
(* WHAT MUST HOLD                                                            *)
Got(x) == \E s \in Sess : <<s, x, db.gen[x[1]]>> \in received
Committed(x) == db.tx[x[1]] = "com"
StillToCome(x) == LET pos == db.pos IN
  \/ x[1] > (IF BySide(pos, x) THEN pos.side.reached ELSE pos.reached)
  \/ x[1] \in pos.open \/ x \in pos.way \cup pos.side.way

NoLoss == \A x \in Deliveries : Committed(x) => StillToCome(x) \/ db.park[x] # "-" \/ Got(x)
NoPhantom == Synchronous => \A a \in received : Committed(a[2]) /\ db.gen[a[2][1]] = a[3]
Explained == wrong = {}   \* never twice in one session, never again after a turn has said that it arrived
Order == Synchronous => \A x, y \in Deliveries :
  (x[2] = y[2] /\ x[1] < y[1] /\ KeyOf(x[1]) = KeyOf(y[1]) /\ Committed(x) /\ Got(y)) => Got(x) \/ db.park[x] = "dead"
OneOwner == Cardinality({s \in Sess : on[s] = "on" /\ Follows(s)}) <= 1
Recorded == Synchronous => \A r \in db.record : \E s \in Sess : <<s, r[1], r[2]>> \in received
Delivered == <>[](\A x \in Deliveries : Committed(x) => Got(x) \/ db.park[x] = "dead")
-----------------------------------------------------------------------------
(* MISTAKES                                                                  *)
(* epochOnly      the guard compares the owner, not the turn                 *)
(* timer          an open number is given up after a while                   *)
(* xidsOnly       a prepared transaction counts as ended                     *)
(* snapshotFirst  rows are looked at before the witnesses                    *)
(* twoSnapshots   open numbers and rows beyond come from two snapshots       *)
(* sendFirst      a send does not wait for the turn that covers it           *)
(* forgetBlocked  a taker does not load the keys that are blocked            *)
(* sideNoFlight   opening a side lane forgets what is under way in its scope *)
(* mergeEarly     a side lane merges before it has read as far as the lane   *)
(* staleAnswers   answers to a fenced session are taken by the new owner     *)
(* lookSurvives   a look is used although the connection was lost since      *)
(* warningIsAck   a commit that the standby has not confirmed counts as safe *)
(* holePerRow     a hole names a row instead of a delivery                   *)
(* scopeCutsKey   a scope holds some messages of a key and not the others    *)
(* keysPerLane    each lane has its own table of blocked keys                *)
=============================================================================
