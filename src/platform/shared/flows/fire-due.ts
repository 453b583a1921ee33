import { LRUCache } from 'lru-cache'
import { maxEntries } from '../../../kit/cache/ttl-cache.ts'
import { describeError, type Log } from '../../../kit/process/log.ts'
import type { Trigger } from '../domain/callback.ts'
import { type DueTimes, dueTimes, parseSchedule, type Schedule } from '../domain/cron.ts'

type ScheduledWorkload = { triggers: readonly Trigger[]; updatedAt: Date }

/** `at` is the index of the trigger. */
export type Fire = { at: number; trigger: Trigger; due: Date }

type Needs<W> = {
  withSchedules(): Promise<W[]>
  /** Must be idempotent: every process calls it repeatedly. */
  fire(workload: W, fire: Fire): Promise<void>
  log: Log<'trigger.failed'>
  now: () => Date
}

/** Missed fires are made up for within this time, at most once per trigger. */
const lookBackMs = 10 * 60_000

export const fireDue = <W extends ScheduledWorkload>({
  withSchedules,
  fire,
  log,
  now,
}: Needs<W>): (() => Promise<void>) => {
  const latestDue = rememberedSchedules()
  return async () => {
    for (const workload of await withSchedules()) {
      for (const due of dueTriggers(workload)) {
        await fire(workload, due).catch((error) => log('trigger.failed', { code: describeError(error) }))
      }
    }
  }

  function dueTriggers({ triggers, updatedAt }: W): Fire[] {
    return triggers.flatMap((trigger, at) => {
      const { type, enabled, configuration } = trigger
      const due = type === 'cron' && enabled ? latestDue(configuration.schedule ?? '', now()) : undefined
      // A new schedule does not apply to the past.
      return due && due > updatedAt ? [{ at, trigger, due }] : []
    })
  }
}

/** Identifies the due minute, so that all processes use the same ID. */
export const minuteOf = (due: Date): string => due.toISOString().replace(/\D/g, '').slice(0, 12)

/** Cached by schedule text: workloads are checked every few seconds, and the result changes at most once a minute. */
function rememberedSchedules(): (text: string, now: Date) => Date | undefined {
  const known = new LRUCache<string, LatestDue>(maxEntries(10_000))
  return (text, now) => {
    const schedule = known.get(text) ?? latestDueOf(parseSchedule(text))
    known.set(text, schedule)
    return schedule(now)
  }
}

type LatestDue = (now: Date) => Date | undefined

/** A search may cover years, so the result is cached until the next due time. */
function latestDueOf(schedule: Schedule | undefined): LatestDue {
  if (!schedule) return () => undefined
  let known: (DueTimes & { at: Date }) | undefined
  return (now) => {
    const earliest = new Date(now.getTime() - lookBackMs)
    const before = known && known.at <= now ? known : undefined // the clock may be set back
    const { latest, next } = before && !(before.next && before.next <= now) ? before : dueTimes(schedule, earliest, now)
    known = { at: now, latest, next }
    return latest && latest > earliest ? latest : undefined
  }
}
