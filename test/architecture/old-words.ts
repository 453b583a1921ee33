// Words that were dropped, with what we say instead. A name that came back would soon be in an API again.

export type OldWord = {
  old: RegExp
  say: string
  /** Where it is looked for; everywhere if not given. `texts`: what people read in pages and in API documents. */
  within?: 'code' | 'texts'
}

/** `rollBackConnection` is a released operation, and a verb. */
export const oldWords: OldWord[] = [
  { old: /\btroubles?\b|[a-z]Trouble|\bTrouble[A-Z]/i, say: 'problem, error, DependencyError' },
  { old: /\bdeeds?\b|[a-z]Deeds?\b/i, say: 'action' },
  { old: /upkeep/i, say: 'connections' },
  {
    old: /giv(?:e|en|es|ing)[_-]?back\b|\b(?:give|given|gives|giving|gave) back\b|giveUpLinks/i,
    say: 'revoke, release, return',
  },
  {
    old: /\bset(?:Relink)?Back\b|\bsendBack\b|letPreviousGo/,
    say: 'onStepFailure, onRelinkFailure, askForOtherAccount',
  },
  { old: /\bkept[ _-]?grants?\b|keptGrants?|isKept\b|keptUntil\b/i, say: 'stored grants' },
  {
    old: /keepProof|grant_unproven|\bproven\b|\bproving\b|\b(?:wrong|right) proofs?\b/i,
    say: 'trial refresh, tested, verifier',
  },
  {
    old: /\bstories\b|\bmomentsOf\b|\bmoments?[A-Z]\w*|class="[^"]*\bmoment\b/,
    say: 'timeline, TimelineEntry, formatTime',
  },
  { old: /thingPages|awayPages/, say: 'detailPages, storeOutagePage' },
  { old: /actOnce|\btype (?:Once|Turn)\b/, say: 'runIdempotent, IdempotencyClaim, lazy()' },
  { old: /unlessMissing/, say: 'undefinedIfMissing' },
  { old: /\brollBack(?!Connection\b)|[a-z]RollBack|\b[Rr]oll-back|\b[Aa] roll back\b/, say: 'rollback; to roll back' },
  { old: /resume-links|\bresumeLinks\b/, say: 'sweep-links' },
  {
    old: /born-express|\bwaking-|brief-cache|briefCache|\btethered\b|\blasting\b(?! problem)/i,
    say: 'express-prototypes, ttl-cache, child-server, persistent',
  },
  {
    old: /farewell|proxy-door|\bconverse\b|tellCallbacks/i,
    say: 'deleteResponse, workload-fast-path, threadedCall, deliverCallbacks',
  },
  {
    old: /answeredStatus|\bstoppedAt\b|\bsignsFrom\b|previousSecretUntil/,
    say: 'responseStatus, resumeFrom, activeFrom, previousSecretExpiresAt',
  },
  {
    old: /\bholdsGrant\b|\.outlived\b|\bputAside\b|\.bury\b|idempotency\.(?:letGo|forget)\b|\bunmoved\b|whyWords/,
    say: 'hasGrant, stalledFor, expired, archiveFailedLink, markDead, abandon, release, newLinkDefaults, matchedBy',
  },
  { old: /\bwhy: string\b|\bWho did what\b/, say: 'reason; Activity' },
  { old: /\be-mails?\b/i, say: 'email' },
  { old: /\bnothing when\b|\(nothing\) when/i, say: 'Returns undefined if …' },
  {
    old: /\b(?:isHeldBy|heldBy|heldUntil|held_by|mostHeld|heldCode|code_held)\b/,
    say: 'lockedBy, code_waiting, referencedBy',
  },
  { old: /\b(?:const|function|type) refuse[A-Z]\w*/, say: 'assert… throws, …Failure returns', within: 'code' },
  { old: participleType(), say: 'a noun: RouteInput, EventDraft', within: 'code' },
  {
    old: /\b(?:whoever|somebody|nobody|anybody)\b/i,
    say: 'who it is: the user, support, another worker',
    within: 'texts',
  },
  {
    old: /\banew\b|\bcame to nothing\b|\bthis very moment\b|\bturned us away\b|\bat it\b/i,
    say: 'again, failed, right now',
    within: 'texts',
  },
  {
    old: /a value we cannot take|a cursor of ours|What needs (?:somebody|anybody)|not yours to do/i,
    say: 'is not valid, Needs attention, Status',
    within: 'texts',
  },
]

/** A type is named by what it is, not by what was done to it. */
function participleType(): RegExp {
  const irregular = ['Told', 'Held', 'Kept', 'Sent', 'Found', 'Made', 'Seen', 'Given', 'Known', 'Left', 'Read']
  return new RegExp(`\\b(?:type|interface) (?:[A-Z][a-z]+ed|${irregular.join('|')})(?:<[^=]*>)? =`)
}

/** What is found in a text, as `old word: line`. */
export function oldWordsIn(text: string, within: ReadonlyArray<OldWord['within']>): string[] {
  // Most words are in no text: a look at the whole says which to look for in its lines.
  const words = oldWords.filter((word) => within.includes(word.within) && anywhere(word).test(text))
  if (words.length === 0) return []
  return text.split('\n').flatMap((line, at) =>
    words.flatMap(({ old, say }) => {
      const [found] = old.exec(line) ?? []
      return found === undefined ? [] : [`line ${at + 1}: "${found}", say ${say}`]
    }),
  )
}

const inLines = new Map<OldWord, RegExp>()

function anywhere(word: OldWord): RegExp {
  const pattern = inLines.get(word) ?? new RegExp(word.old.source, `${word.old.flags}m`)
  inLines.set(word, pattern)
  return pattern
}
