------------------------------- MODULE Cleaner -------------------------------
(* The cleaner deletes what nobody needs any more. It goes by position and by *)
(* the clock of turns, never by when a message was created. What it shows:    *)
(* whoever still needs a message finds it (a delivery under way, a lane that  *)
(* has not read it, a parked delivery, a replay), and no row leaves earlier   *)
(* than `Retention` after its delivery ended, which is the time during which  *)
(* the uniqueness of event_id is promised.                                    *)
(*                                                                            *)
(* One owner, and one exchange is one step with one snapshot: Lane.tla shows  *)
(* why that may be assumed. Odd numbers are in the scope of the side lane.    *)
EXTENDS Naturals, FiniteSets

CONSTANTS Messages,    \* how many numbers the log has
          Clock,       \* the clock goes from 0 to this
          Retention,   \* in ticks of it
          Openings,    \* how many times the side lane may open
          Replays,     \* how many dead letters may be replayed
          Histories,   \* how many replays of history there may be
          Mistake      \* "none", or one of those at the bottom

VARIABLES now,      \* the clock of the turns
          tx,       \* number -> free, open, com, abo
          born,     \* number -> created_at: when its transaction drew the number
          log,      \* the rows that can be seen in the log
          kept,     \* messages that were copied before they left the log
          pos,      \* the position, see Init
          settled,  \* time -> the lowest number that was not settled then, less one, by the last turn
          park,     \* number -> -, dead, waiting (replayed), done
          floor,    \* everything up to here may have been cleaned
          plan,     \* only for a mistake: what an earlier snapshot said
          got,      \* the numbers that were delivered
          ended,    \* number -> when a turn said that it was delivered or dead
          left      \* what is still to come
vars == <<now, tx, born, log, kept, pos, settled, park, floor, plan, got, ended, left>>

Numbers == 1..Messages
Never == Clock + Retention + 1
Max(set) == CHOOSE m \in set : \A other \in set : other <= m
Min(set) == CHOOSE m \in set : \A other \in set : other >= m
Off == [on |-> FALSE, reached |-> 0, end |-> 0]

Init ==
  /\ now = 0 /\ tx = [n \in Numbers |-> "free"] /\ born = [n \in Numbers |-> 0]
  /\ log = {} /\ kept = {} /\ floor = 0 /\ plan = [boundary |-> 0, parked |-> {}]
  /\ pos = [reached |-> 0, open |-> {}, way |-> {}, side |-> Off, history |-> Off]
  /\ settled = [t \in 0..Clock |-> 0]
  /\ park = [n \in Numbers |-> "-"] /\ got = {} /\ ended = [n \in Numbers |-> Never]
  /\ left = [opening |-> Openings, replay |-> Replays, history |-> Histories]

Tick == /\ now < Clock /\ now' = now + 1
        /\ settled' = [settled EXCEPT ![now + 1] = settled[now]]
        /\ UNCHANGED <<tx, born, log, kept, pos, park, floor, plan, got, ended, left>>
Draw(n) == /\ tx[n] = "free" /\ \A m \in 1..(n - 1) : tx[m] # "free"
           /\ tx' = [tx EXCEPT ![n] = "open"] /\ born' = [born EXCEPT ![n] = now]
           /\ UNCHANGED <<now, log, kept, pos, settled, park, floor, plan, got, ended, left>>
End(n, how) == /\ tx[n] = "open" /\ tx' = [tx EXCEPT ![n] = how]
               /\ log' = IF how = "com" THEN log \cup {n} ELSE log
               /\ UNCHANGED <<now, born, kept, pos, settled, park, floor, plan, got, ended, left>>

-----------------------------------------------------------------------------
(* TURNS. Each leaves behind how far everything was settled, and when.        *)
Settled(p) == Min({p.reached}
  \cup (IF Mistake = "ignoresHoles" THEN {} ELSE {n - 1 : n \in p.open \cup p.way})
  \cup (IF p.side.on /\ Mistake # "ignoresSideLanes" THEN {p.side.reached} ELSE {})
  \cup (IF p.history.on /\ Mistake # "ignoresHistory" THEN {p.history.reached} ELSE {}))
Turn(p) == pos' = p /\ settled' = [settled EXCEPT ![now] = Settled(p)]

InSide(n) == pos.side.on /\ n % 2 = 1
ReadMain ==
  LET to == Max(log \cup {pos.reached})
      appeared == {n \in log : n \in pos.open \/ n > pos.reached}
      open == (pos.open \cup ((pos.reached + 1)..to)) \ (log \cup {n \in Numbers : tx[n] = "abo"})
      way == {n \in appeared : ~InSide(n) \/ n <= pos.side.reached}      \* its own, and late ones handed over
  IN /\ to > pos.reached \/ open # pos.open
     /\ Turn([pos EXCEPT !.reached = to, !.open = open, !.way = @ \cup way])
     /\ UNCHANGED <<now, tx, born, log, kept, park, floor, plan, got, ended, left>>
ReadSide ==
  LET new == {n \in log : n % 2 = 1 /\ n > pos.side.reached /\ n <= pos.reached /\ n \notin pos.open}
  IN /\ pos.side.on /\ pos.side.reached < pos.reached
     /\ Turn([pos EXCEPT !.side.reached = pos.reached, !.way = @ \cup new])
     /\ UNCHANGED <<now, tx, born, log, kept, park, floor, plan, got, ended, left>>
OpenSide == /\ left.opening > 0 /\ ~pos.side.on /\ left' = [left EXCEPT !.opening = @ - 1]
            /\ Turn([pos EXCEPT !.side = [on |-> TRUE, reached |-> pos.reached, end |-> 0]])
            /\ UNCHANGED <<now, tx, born, log, kept, park, floor, plan, got, ended>>
MergeSide == /\ pos.side.on /\ pos.side.reached = pos.reached /\ Turn([pos EXCEPT !.side = Off])
             /\ UNCHANGED <<now, tx, born, log, kept, park, floor, plan, got, ended, left>>

(* A delivery under way arrives, or is dead. A dead letter can be replayed.   *)
Finish(n, ok) ==
  /\ n \in pos.way /\ Turn([pos EXCEPT !.way = @ \ {n}])
  /\ got' = IF ok THEN got \cup {n} ELSE got
  /\ park' = IF ok THEN park ELSE [park EXCEPT ![n] = "dead"]
  /\ ended' = [ended EXCEPT ![n] = now]
  /\ UNCHANGED <<now, tx, born, log, kept, floor, plan, left>>
Replay(n) ==
  /\ left.replay > 0 /\ park[n] = "dead" /\ left' = [left EXCEPT !.replay = @ - 1]
  /\ Turn(pos) /\ park' = [park EXCEPT ![n] = "waiting"]
  /\ UNCHANGED <<now, tx, born, log, kept, floor, plan, got, ended>>
FinishReplay(n, ok) ==
  /\ park[n] = "waiting" /\ Turn(pos)
  /\ got' = IF ok THEN got \cup {n} ELSE got
  /\ park' = [park EXCEPT ![n] = IF ok THEN "done" ELSE "dead"]
  /\ UNCHANGED <<now, tx, born, log, kept, floor, plan, ended, left>>

(* A replay of history delivers again what was delivered, from where it was   *)
(* asked to, but never from below what has been cleaned, up to `reached`.     *)
BeginHistory(from) ==
  LET begin == IF Mistake = "replayFromZero" THEN from ELSE Max({from, floor}) IN
  /\ left.history > 0 /\ ~pos.history.on /\ begin < pos.reached /\ left' = [left EXCEPT !.history = @ - 1]
  /\ Turn([pos EXCEPT !.history = [on |-> TRUE, reached |-> begin, end |-> pos.reached]])
  /\ UNCHANGED <<now, tx, born, log, kept, park, floor, plan, got, ended>>
ReadHistory ==
  /\ pos.history.on
  /\ Turn([pos EXCEPT !.history = IF @.reached + 1 = @.end THEN Off ELSE [@ EXCEPT !.reached = @ + 1]])
  /\ UNCHANGED <<now, tx, born, log, kept, park, floor, plan, got, ended, left>>

-----------------------------------------------------------------------------
(* CLEANING is part of a turn. A row may leave if a turn that is older than   *)
(* the retention had settled it, and if it is settled now: a replay may have  *)
(* begun since. It goes from the low end, in steps. What a parked delivery    *)
(* still needs is copied first.                                               *)
Needing == {n \in Numbers : park[n] \in {"dead", "waiting"}}
Boundary ==
  LET old == IF now >= Retention THEN settled[now - Retention] ELSE 0 IN
  CASE Mistake = "byCreatedAt" -> Settled(pos)
    [] Mistake = "oldTurnOnly" -> old
    [] OTHER -> Min({old, Settled(pos)})
(* Only for a mistake: boundary and parked rows are read now, used later.     *)
Peek == /\ Mistake = "twoSnapshots" /\ plan' = [boundary |-> Boundary, parked |-> Needing] /\ plan' # plan
        /\ UNCHANGED <<now, tx, born, log, kept, pos, settled, park, floor, got, ended, left>>
Clean(to) ==
  LET boundary == IF Mistake = "twoSnapshots" THEN plan.boundary ELSE Boundary
      needing == IF Mistake = "twoSnapshots" THEN plan.parked ELSE Needing
      leaving == {n \in log : n <= to /\ (Mistake = "byCreatedAt" => born[n] + Retention <= now)}
  IN /\ to <= boundary /\ leaving # {}
     /\ log' = log \ leaving /\ floor' = Max({floor, to})
     /\ kept' = {n \in kept : n \in Needing} \cup (IF Mistake = "forgetsKept" THEN {} ELSE leaving \cap needing)
     /\ Turn(pos) /\ UNCHANGED <<now, tx, born, park, plan, got, ended, left>>

Next == \/ Tick \/ ReadMain \/ ReadSide \/ OpenSide \/ MergeSide \/ ReadHistory \/ Peek
        \/ \E n \in Numbers :
             \/ Draw(n) \/ End(n, "com") \/ End(n, "abo") \/ Replay(n) \/ Clean(n) \/ BeginHistory(n - 1)
             \/ \E ok \in BOOLEAN : Finish(n, ok) \/ FinishReplay(n, ok)
Spec == Init /\ [][Next]_vars

-----------------------------------------------------------------------------
(* WHAT MUST HOLD                                                             *)
Gone == {n \in Numbers : tx[n] = "com"} \ log
NoLoss == \A n \in Gone : n \in got \/ n \in Needing
UnderWayReadable == pos.way \subseteq log        \* the next owner must read it again
ParkedReadable == Needing \subseteq log \cup kept
HistoryReadable == pos.history.on => \A n \in Gone : n <= pos.history.reached \/ n > pos.history.end
WindowHolds == \A n \in Gone : ended[n] + Retention <= now
-----------------------------------------------------------------------------
(* MISTAKES                                                                   *)
(* byCreatedAt       age is counted from created_at: a row that commits late  *)
(*                   is old when it appears                                   *)
(* ignoresHoles      everything up to `reached` counts as settled             *)
(* ignoresSideLanes  a side lane that is behind does not hold the cleaner     *)
(* ignoresHistory    nor does a replay of history                             *)
(* oldTurnOnly       what was settled long ago is not checked against now     *)
(* forgetsKept       messages of parked deliveries are not copied             *)
(* twoSnapshots      boundary and parked rows are read before, used later     *)
(* replayFromZero    a replay of history begins below what has been cleaned   *)
=============================================================================
