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
const revoking = at('src/onboarding/provisioning/flows/revoking-step.ts')
const disconnect = at('src/onboarding/connections/flows/disconnect-steps.ts')
const rollback = at('src/onboarding/connections/flows/rollback-steps.ts')
const tasks = at('src/onboarding/connections/flows/work-on-task.ts')
const ledger = at('test/support/memory/links.ts')
const moves = at('test/support/memory/link-move.ts')
const openTasks = at('test/support/memory/connection-tasks.ts')
const marks = at('src/onboarding/adapters/memory/marks.ts')
const keys = at('src/onboarding/adapters/redis/keys.ts')
const escrowed = at('src/onboarding/provisioning/flows/escrowed-grant.ts')

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
  'an unstored grant is not revoked': exchange('const isRevoked = mayRevoke &&', 'const isRevoked = false &&'),
  'a grant is revoked although the ledger may hold it': exchange(
    "mayRevoke = await ports.marks.claim('grant', link.id, 'revoked').catch(() => false)",
    'mayRevoke = true',
  ),
  'a stored grant counts as lost if the response to its move was': exchange(
    'return kept ?? ports.links.find(link.id);',
    'return kept;',
  ),
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
  'no fence before calls to other servers': fence('!(await keepLease())', 'false'),
  'a failed link revokes nothing': driver("decision.revoke && decision.cause !== 'client_forgotten'", 'false'),
  'other connections of an account are not counted': stored('of account ?', 'of false ?'),
  'open consents are not counted': stored('if (await links.hasConsentUnderWay(user))', 'if (false)'),
  'the link takes no lock of the user': admit('if (!(await ports.links.lockUser(link)))', 'if (false)'),
  'a known account is connected again': admit("if (admitted.kind === 'relink')", 'if (false)'),
  'a first link keeps its grant in escrow': first('escrow: null, connected', 'connected'),
  'a re-link takes no lock of the connection': relink('if (!isLocked)', 'if (false)'),
  'a re-link skips its trial refresh': relink(
    'await platform.replaceConnection({ ...link, connectionName: connection.name }, grant);',
    '',
  ),
  'a re-link revokes the consent that it renewed': relink('const isAllowed = isOthers', 'const isAllowed = true'),
  'a failed link leaves its function': revoking('await platform.deleteFunction(link).catch(undefinedIfUnable);', ''),
  'a disconnect leaves the function': disconnect(
    'await context.ports.platform.deleteFunction(platformNames(context.connection));',
    '',
  ),
  'a rollback swaps nothing': rollback('await platform.replaceConnection(at, grant);', ';'),
  'a task is not resumed': tasks('await ports.tasks.claimDue(10)', '[]'),
  'a move has no due time': moves(
    'dueAt: rests ? undefined : inSeconds(store, dueInSeconds ?? leaseSeconds)',
    'dueAt: dueInSeconds === undefined ? undefined : inSeconds(store, dueInSeconds)',
  ),
  'a mark can be claimed twice': marks('if (kept.get(key) === undefined)'),
  'a mark ends before the authorization does': keys('sent: pendingSeconds + lateSeconds', 'sent: 5'),
  'connections that share a consent are asked for before open consents': stored(
    'if (await links.hasConsentUnderWay(user))',
    `const { integration: of, tenant: by, exceptConnection: but } = user;
    const shares = (origin) => storedGrants.sharesConsent({ integration: of, tenant: by, account, except: but, ...origin });
    const early = await Promise.all(account ? originsOf(ready, grant).map(shares) : []);
    storedGrants = { sharesConsent: async () => early.shift() };
    if (await links.hasConsentUnderWay(user))`,
  ),
  'a grant is revoked although nobody could say who shares it': escrowed('.catch(() => false)', '.catch(() => true)'),
  'a disconnect revokes nothing': disconnect(
    'const outcome = await revokeStoredGrant(ports, ready, connection, current);',
    "const outcome = 'revoked';",
  ),
  'a re-link does not revoke the grant that it replaces': relink(
    'const outcome = await revokeStoredGrant(ports, ready, connection, previous);',
    "const outcome = 'revoked';",
  ),
  'a re-link of a connection that was disconnected goes on': relink(
    "!connection || connection.status === 'disconnected'",
    '!connection',
  ),
  'a worker that lost its link goes on': driver(
    'return ours(await ports.links.move(link, to, changes, audit));',
    'return (await ports.links.move(link, to, changes, audit)) ?? { ...link, state: to };',
  ),
  'a link that needs attention loses its escrow': driver(
    '{ ...changes, ...kept }',
    '{ ...changes, ...kept, escrow: null }',
  ),
  'the name of a connection depends on the worker': first(
    'await ports.platform.createConnection(link, {',
    'await ports.platform.createConnection({ ...link, connectionName: link.connectionName + link.fence }, {',
  ),
  'the other connections of the user are not compared': admit('ports.links.isUsersFirst(link) ? none', 'true ? none'),
  'a link goes on without the lock of its user': admit('if (context.ports.links.hasLockedUser(link))', 'if (true)'),
  'a connection that the ledger lost is not looked for': sent(
    'await findLost(ports, settings, link).catch(undefinedIfFinal)',
    'undefined',
  ),
  'a task starts while a re-link has the connection': openTasks('|| isLocked(store, connection)'),
  'a task ignores its fence': openTasks('row?.fence !== task.fence || row.step !== task.step', '!row'),
  'a session gets a second link': ledger('!isOpen || linkOf(store, link.sessionId)', '!isOpen'),
}
