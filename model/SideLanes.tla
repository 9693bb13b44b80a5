------------------------------ MODULE SideLanes ------------------------------
(* Which lane carries a delivery? Destinations D, E and F; tenants a and b.   *)
(* Scopes are nested: "aD" (tenant a at D) lies in "D" (all of destination D).*)
(* Any of them may leave the main lane and come back, while rows commit late  *)
(* and the routes change. What it shows: each delivery is carried once.       *)
(*                                                                            *)
(* One owner, and one exchange is one step with one snapshot: Lane.tla shows  *)
(* why that may be assumed. What a lane reads is delivered at once.           *)
EXTENDS Naturals, FiniteSets

CONSTANTS Messages,   \* how many numbers the log has
          Openings,   \* how many times side lanes may open
          Reroutes,   \* 0 or 1: may version 2 of the routes be made?
          Mistake     \* "none", or one of those at the bottom

VARIABLES tx,     \* number -> free, open, a, b (committed by that tenant), abo
          open,   \* drawn and not seen yet, up to main's `reached`. Kept ONCE, by main
          lane,   \* name -> [on, reached, handed]: handed = deliveries that wait for its next look
          route,  \* [made, from]: version 2 counts for numbers above `from`
          got,    \* <<number, destination>> -> how often it was delivered
          left    \* openings that are still to come
vars == <<tx, open, lane, route, got, left>>

Numbers == 1..Messages
Destinations == {"D", "E", "F"}
Sides == {"D", "aD"}
Lanes == Sides \cup {"main", "backfill"}
Main == lane["main"]
Closed == [on |-> FALSE, reached |-> 0, handed |-> {}]
Max(set) == CHOOSE m \in set : \A other \in set : other <= m

Init ==
  /\ tx = [n \in Numbers |-> "free"] /\ open = {} /\ route = [made |-> FALSE, from |-> 0]
  /\ lane = [l \in Lanes |-> IF l = "main" THEN [Closed EXCEPT !.on = TRUE] ELSE Closed]
  /\ got = [x \in Numbers \X Destinations |-> 0] /\ left = Openings

Seen == {n \in Numbers : tx[n] \in {"a", "b"}}
Draw(n) == /\ tx[n] = "free" /\ \A m \in 1..(n - 1) : tx[m] # "free"
           /\ tx' = [tx EXCEPT ![n] = "open"] /\ UNCHANGED <<open, lane, route, got, left>>
End(n, how) == tx[n] = "open" /\ tx' = [tx EXCEPT ![n] = how] /\ UNCHANGED <<open, lane, route, got, left>>

-----------------------------------------------------------------------------
(* ROUTES. Version 1 leads to D and E, version 2 to E and F. A message goes   *)
(* by the version of its number, whoever reads it and whenever.               *)
IsNew(n) == route.made /\ (n > route.from \/ Mistake = "routeNow")
Route(n) == IF IsNew(n) THEN {"E", "F"} ELSE {"D", "E"}
(* With version 2 a backfill begins: a lane with an end, which carries to the *)
(* new destination F what was there before. It ends where version 2 begins.   *)
Reroute == /\ Reroutes > 0 /\ ~route.made
           /\ route' = [made |-> TRUE, from |-> Main.reached]
           /\ lane' = [lane EXCEPT !["backfill"] = [Closed EXCEPT !.on = TRUE]]
           /\ UNCHANGED <<tx, open, got, left>>

(* The innermost open scope carries a delivery to D; main carries the rest.   *)
InScope(l, n) == l = "D" \/ tx[n] = "a"
Carrier(n, d) == CASE d # "D" -> "main"
                   [] tx[n] = "a" /\ lane["aD"].on -> "aD"
                   [] lane["D"].on -> "D"
                   [] OTHER -> "main"
Carries(l, n) == Carrier(n, "D") = l \/ (Mistake = "overlap" /\ l = "D" /\ lane["D"].on)

-----------------------------------------------------------------------------
(* READING. Main watches the open numbers of all, unfiltered. When a late row *)
(* appears below a lane that carries it and is already past it, main hands it *)
(* over in the same turn.                                                     *)
Give(deliveries) == got' = [x \in DOMAIN got |-> IF x \in deliveries THEN got[x] + 1 ELSE got[x]]
Past(l, n) == lane[l].on /\ n <= lane[l].reached
HandTo(l, new) ==
  CASE Mistake = "noHandOver" -> {}
    [] l \in Sides -> {<<n, "D">> : n \in {m \in new : Past(l, m) /\ Carrier(m, "D") = l /\ "D" \in Route(m)}}
    [] l = "backfill" -> {<<n, "F">> : n \in {m \in new : Past(l, m) /\ m <= route.from}}
    [] OTHER -> {}
ReadMain ==
  LET to == Max(Seen \cup {Main.reached})
      new == {n \in Seen : n \in open \/ n > Main.reached}
      nowOpen == (open \cup ((Main.reached + 1)..to)) \ (Seen \cup {n \in Numbers : tx[n] = "abo"})
  IN /\ new # {} \/ nowOpen # open \/ Main.handed # {}
     /\ Give({<<n, d>> \in new \X Destinations : d \in Route(n) /\ Carrier(n, d) = "main"} \cup Main.handed)
     /\ lane' = [l \in Lanes |-> IF l = "main" THEN [on |-> TRUE, reached |-> to, handed |-> {}]
                                 ELSE [lane[l] EXCEPT !.handed = @ \cup HandTo(l, new)]]
     /\ open' = nowOpen /\ UNCHANGED <<tx, route, left>>

(* A side lane never reads beyond main, and never an open number.             *)
Reads(l, to) == {n \in Seen : n > lane[l].reached /\ n <= to /\ (n \notin open \/ Mistake = "readsOpen")}
ReadSide(l) ==
  LET to == IF Mistake = "beyondMain" THEN Max(Seen \cup {Main.reached}) ELSE Main.reached
      new == {n \in Reads(l, to) : Carries(l, n) /\ "D" \in Route(n)}
  IN /\ lane[l].on /\ (to > lane[l].reached \/ lane[l].handed # {})
     /\ Give({<<n, "D">> : n \in new} \cup lane[l].handed)
     /\ lane' = [lane EXCEPT ![l] = [on |-> TRUE, reached |-> to, handed |-> {}]]
     /\ UNCHANGED <<tx, open, route, left>>
ReadBackfill ==
  LET past == lane["backfill"]
      to == IF Mistake = "backfillNoEnd" THEN Main.reached ELSE route.from
  IN /\ past.on /\ (to > past.reached \/ past.handed # {})
     /\ Give({<<n, "F">> : n \in Reads("backfill", to)} \cup past.handed)
     /\ lane' = [lane EXCEPT !["backfill"] = [on |-> TRUE, reached |-> to, handed |-> {}]]
     /\ UNCHANGED <<tx, open, route, left>>
(* A number that is still open below its end belongs to the backfill too.     *)
EndBackfill ==
  /\ lane["backfill"].on /\ lane["backfill"].handed = {} /\ lane["backfill"].reached >= route.from
  /\ Mistake = "backfillEndsEarly" \/ \A n \in open : n > route.from
  /\ lane' = [lane EXCEPT !["backfill"] = Closed] /\ UNCHANGED <<tx, open, route, got, left>>

-----------------------------------------------------------------------------
(* OPENING AND MERGING, each in one turn. A side lane starts from the         *)
(* position of the innermost lane around it, and takes from there what waits  *)
(* in its scope. It merges back when both have read equally far.              *)
Around(l, flat) == IF l = "aD" /\ lane["D"].on /\ Mistake # flat THEN "D" ELSE "main"
Open(l) ==
  LET outer == Around(l, "flatOpen")
      its == {x \in lane[outer].handed : InScope(l, x[1])}
  IN /\ left > 0 /\ ~lane[l].on /\ left' = left - 1
     /\ lane' = [lane EXCEPT ![l] = [on |-> TRUE, reached |-> lane[outer].reached, handed |-> its],
                             ![outer].handed = @ \ its]
     /\ UNCHANGED <<tx, open, route, got>>
Merge(l) ==
  LET outer == Around(l, "flatMerge") IN
  /\ lane[l].on /\ (lane[l].reached = lane[outer].reached \/ Mistake = "mergeEarly")
  /\ lane' = [lane EXCEPT ![l] = Closed,
                          ![outer].handed = @ \cup (IF Mistake = "mergeDrops" THEN {} ELSE lane[l].handed)]
  /\ UNCHANGED <<tx, open, route, got, left>>

Next == \/ \E n \in Numbers : Draw(n) \/ \E how \in {"a", "b", "abo"} : End(n, how)
        \/ ReadMain \/ ReadBackfill \/ EndBackfill \/ Reroute
        \/ \E l \in Sides : ReadSide(l) \/ Open(l) \/ Merge(l)
Spec == Init /\ [][Next]_vars
FairSpec == Spec /\ WF_vars(ReadMain) /\ WF_vars(ReadBackfill) /\ \A l \in Sides : WF_vars(ReadSide(l))

-----------------------------------------------------------------------------
(* WHAT MUST HOLD. By number, not by who reads when: version 1 leads to D,    *)
(* version 2 to F, both to E, and the backfill carries to F what came before. *)
Wanted(n) == {"E"} \cup (IF route.made THEN {"F"} ELSE {})
                   \cup (IF route.made /\ n > route.from THEN {} ELSE {"D"})
Ahead(l, n) == lane[l].on /\ n > lane[l].reached
WillCome(n, d) == \/ Ahead("main", n) \/ n \in open \/ \E l \in Lanes : <<n, d>> \in lane[l].handed
                  \/ d = "D" /\ Ahead(Carrier(n, "D"), n)
                  \/ d = "F" /\ Ahead("backfill", n) /\ n <= route.from
NoLoss == \A n \in Seen : \A d \in Wanted(n) : got[<<n, d>>] > 0 \/ WillCome(n, d)
NoDuplicate == \A x \in DOMAIN got : got[x] <= 1
NoStray == \A n \in Seen : \A d \in Destinations \ Wanted(n) : got[<<n, d>>] = 0
NotAhead == \A l \in Lanes : lane[l].on => lane[l].reached <= Main.reached
Delivered == <>[](\A n \in Seen : \A d \in Wanted(n) : got[<<n, d>>] = 1)
-----------------------------------------------------------------------------
(* MISTAKES                                                                   *)
(* beyondMain         a side lane reads beyond the main lane                  *)
(* readsOpen          a side lane reads a number that main keeps as open      *)
(* noHandOver         a late row is not handed to the lane that is past it    *)
(* overlap            the outer lane also carries what the inner one does     *)
(* flatOpen           a side lane always starts from main's position          *)
(* flatMerge          a side lane always merges into main                     *)
(* mergeEarly         it merges before it has read equally far                *)
(* mergeDrops         what waits for its next look is forgotten at the merge  *)
(* routeNow           a message goes by the newest version of the routes      *)
(* backfillNoEnd      a backfill reads on beyond where the version begins     *)
(* backfillEndsEarly  a backfill ends while numbers below its end are open    *)
=============================================================================
