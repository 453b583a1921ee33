import { Secret } from '../../../kit/crypto/secret.ts'
import type { Log } from '../../../kit/process/log.ts'
import { callbackOf, pathFromRoot } from '../../shared/domain/callback.ts'
import { type Fire, fireDue, minuteOf } from '../../shared/flows/fire-due.ts'
import type { AsyncRequests, NewAsyncRequest } from '../domain/async-request.ts'
import type { ControlPlane } from '../domain/ports.ts'

type ScheduledAgent = Awaited<ReturnType<ControlPlane['agentsWithSchedules']>>[number]

type Needs = Pick<ControlPlane, 'agentsWithSchedules'> & {
  asyncRequests: Pick<AsyncRequests, 'hasFired' | 'addFired'>
  log: Log<'trigger.failed'>
  now: () => Date
}

export const fireAgents = (needs: Needs): (() => Promise<void>) =>
  fireDue({
    ...needs,
    withSchedules: needs.agentsWithSchedules,
    async fire(agent, due) {
      const fired = { resourceId: agent.uid, trigger: due.at, firedFor: due.due }
      if (await needs.asyncRequests.hasFired(fired)) return
      await needs.asyncRequests.addFired(fired, requestsOf(agent, due))
    },
  })

function requestsOf({ uid, workspace, name }: ScheduledAgent, { at, trigger, due }: Fire): NewAsyncRequest[] {
  const { tasks = [], path } = trigger.configuration
  const bodies = tasks.length > 0 ? tasks : [{ inputs: '' }]
  return bodies.map((body, index) => ({
    id: `cron-${uid}-${at}-${minuteOf(due)}-${index}`,
    workspace,
    agent: name,
    agentId: uid,
    isAnonymous: false,
    asked: new Secret({
      method: 'POST',
      path: path ? pathFromRoot(path) : '',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      thread: undefined,
      callback: callbackOf([trigger]),
    }),
  }))
}
