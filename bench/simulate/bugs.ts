// Bugs for `npm run simulate -- --bugs`, which seeds each into the code and searches a schedule that finds it.

/** `code` occurs once in the compiled file. */
export type Bug = { file: string; code: string; instead: string }

const at =
  (file: string) =>
  (code: string, instead = ''): Bug => ({ file, code, instead })

const exchange = at('src/onboarding/linking/flows/exchange-code.ts')
const intend = at('src/onboarding/linking/flows/intend-sending.ts')
const callback = at('src/onboarding/linking/flows/receive-callback.ts')
const waiting = at('src/onboarding/linking/flows/waiting-code.ts')
const sent = at('src/onboarding/provisioning/flows/end-sent.ts')
const end = at('src/onboarding/provisioning/flows/end-link.ts')
const sweep = at('src/onboarding/provisioning/flows/sweep-links.ts')
const fence = at('src/onboarding/provisioning/flows/fence.ts')
const driver = at('src/onboarding/provisioning/flows/provision-link.ts')
const stored = at('src/onboarding/provisioning/flows/stored-grant.ts')
const admit = at('src/onboarding/provisioning/flows/admit-link.ts')
const first = at('src/onboarding/provisioning/flows/first-link-steps.ts')
const relink = at('src/onboarding/provisioning/flows/relink-steps.ts')
const policy = at('src/onboarding/provisioning/flows/failure-policy.ts')
const revoking = at('src/onboarding/provisioning/flows/revoking-step.ts')
const disconnect = at('src/onboarding/connections/flows/disconnect-steps.ts')
const rollback = at('src/onboarding/connections/flows/rollback-steps.ts')
const tasks = at('src/onboarding/connections/flows/work-on-task.ts')
const ledger = at('test/support/memory/links.ts')
const moves = at('test/support/memory/link-move.ts')

export const bugs: Record<string, Bug> = {
  'the code is sent without a mark': exchange('if (!isOurs)', 'if (false)'),
  'an intent is taken back after the code was sent': intend(
    'await claimed;',
    'await claiming; await withdraw(intent);',
  ),
  'a mark is released although the code is sent': intend('if (!intent) {', 'release();\nif (!intent) {'),
  'a lost token request is repeated': exchange(
    "const grant = await ports.traces.within('link.exchange', link, exchange);",
    "const grant = await ports.traces.within('link.exchange', link, exchange).catch(exchange);",
  ),
  'an exchange does not take the link over': exchange(
    "'exchanging', { takeOver: true, config }",
    "'exchanging', { config }",
  ),
  'the escrow is written once': exchange('await throughFailover(ports, store, isLast)', 'await store()'),
  'an unstored grant is not revoked': exchange('const isRevoked = mayRevoke &&', 'const isRevoked = false &&'),
  'a grant is revoked although the ledger may hold it': exchange(
    "mayRevoke = await ports.marks.claim('grant', link.id, 'revoked').catch(() => false)",
    'mayRevoke = true',
  ),
  'a stored grant counts as lost if the response to its move was': exchange(
    'return kept ?? ports.links.find(link.id);',
    'return kept;',
  ),
  'a worker continues a link that another took over': exchange('escrow.link.fence !== intent.fence', 'false'),
  'a reload of the callback exchanges again': callback("spent || link.state !== 'authorizing'", 'spent'),
  'a waiting code has no due time': waiting('dueInSeconds: waitingCodeSeconds', 'dueInSeconds: 1e9'),
  'a sent code ends as failed': sent("to: 'exchange_unknown'", "to: 'failed'"),
  'the tenant is not told the end of a link': end('...event, takeOver', 'takeOver'),
  'an ended link keeps its escrow': end('escrow: null, ...event', '...event'),
  'a revoked grant is delivered': sweep("(await ports.marks.claim('grant', link.id, 'delivered'))", 'true'),
  'a worker forgets links that were exchanging': sweep(
    "if (link.state === 'exchanging')",
    "if (link.state === 'exchanging') return link;\nif (false)",
  ),
  'an abandoned link may have been sent': sweep('if (await wasSent(ports, link))', 'if (false)'),
  'no fence before calls to other servers': fence('!(await ports.links.keepLease(link))', 'false'),
  'resources of a lost link stay': driver("now.state === 'failed' ||", ''),
  'resources of a link that was disconnected stay': driver('|| (await isDisconnected(ports, now))'),
  'a failed link revokes nothing': driver("decision.revoke && decision.cause !== 'client_forgotten'", 'false'),
  'other connections of an account are not counted': stored('of account ?', 'of false ?'),
  'open consents are not counted': stored('if (await links.hasConsentUnderWay(user))', 'if (false)'),
  'the link takes no lock of the user': admit('if (!(await ports.links.lockUser(link)))', 'if (false)'),
  'a known account is connected again': admit("if (admitted.kind === 'relink')", 'if (false)'),
  'a refused link leaves its connection on the platform': admit('if (!isFresh)', 'if (false)'),
  'a first link keeps its grant in escrow': first('escrow: null, connected', 'connected'),
  'a re-link takes no lock of the connection': relink('if (!isLocked)', 'if (false)'),
  'a re-link skips its trial refresh': relink(
    'await platform.replaceConnection({ ...link, connectionName: connection.name }, grant);',
    '',
  ),
  'a re-link revokes the consent that it renewed': relink('const isAllowed = isOthers', 'const isAllowed = true'),
  'retries never end': policy('retry && !isPastPatience(link, error)', 'retry'),
  'a failed link leaves its function': revoking('await platform.deleteFunction(link).catch(undefinedIfUnable);', ''),
  'a disconnect leaves the function': disconnect(
    'await context.ports.platform.deleteFunction(platformNames(context.connection));',
    '',
  ),
  'a rollback swaps nothing': rollback('await platform.replaceConnection(at, grant);', ';'),
  'a task is not resumed': tasks('await ports.tasks.claimDue(10)', '[]'),
  'a claim keeps the fence': ledger('fence: row.fence + 1', 'fence: row.fence'),
  'a move ignores the fence': ledger('return row?.fence === fence ? row : undefined;', 'return row;'),
  'a move has no due time': moves(
    'dueAt: rests ? undefined : inSeconds(store, dueInSeconds ?? leaseSeconds)',
    'dueAt: dueInSeconds === undefined ? undefined : inSeconds(store, dueInSeconds)',
  ),
}
