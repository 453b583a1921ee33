// Checks the results when all tasks have ended.
export type Mark = { what: 'begin' | 'bad' | 'ok'; index: number; attempt: number }

export type TaskRow = { index: number; state: string; attempts: number; reason: string }

type Stats = Record<'total' | 'success' | 'failure' | 'cancelled' | 'running' | 'retried', number>

type SoakResult = { count: number; maxRetries: number; stats: Stats; tasks: readonly TaskRow[]; marks: readonly Mark[] }

export function check({ count, maxRetries, stats, tasks, marks }: SoakResult): Array<{ what: string; holds: boolean }> {
  const attemptsAllowed = maxRetries + 1
  const inState = (state: string) => tasks.filter((task) => task.state === state)
  const keys = (what: Mark['what']) => marks.filter((mark) => mark.what === what).map(keyOf)
  const begun = keys('begin')
  const [good, bad] = [new Set(keys('ok')), new Set(keys('bad'))]
  const lastOf = ({ index, attempts }: TaskRow) => keyOf({ index, attempt: attempts })
  return [
    { what: 'no task is lost', holds: tasks.length === count && tasks.every(({ index }, at) => index === at) },
    { what: 'every task is over', holds: inState('succeeded').length + inState('failed').length === count },
    {
      what: 'the counts are those of the tasks',
      holds:
        stats.total === count &&
        stats.success === inState('succeeded').length &&
        stats.failure === inState('failed').length &&
        stats.running + stats.cancelled === 0 &&
        stats.retried === tasks.reduce((sum, { attempts }) => sum + attempts - 1, 0),
    },
    { what: 'no attempt was run twice', holds: new Set(begun).size === begun.length },
    {
      what: 'none ran more often than its retries allow',
      holds:
        tasks.every(({ attempts }) => attempts <= attemptsAllowed) &&
        marks.every((mark) => mark.attempt <= attemptsAllowed),
    },
    {
      what: 'what succeeded did so at its last attempt',
      holds: inState('succeeded').every((t) => good.has(lastOf(t))),
    },
    {
      what: 'what failed had used up its attempts, and failed or lost its worker at the last',
      holds: inState('failed').every(
        (task) =>
          task.attempts === attemptsAllowed && (bad.has(lastOf(task)) || task.reason === 'The worker was lost.'),
      ),
    },
  ]
}

const keyOf = ({ index, attempt }: Pick<Mark, 'index' | 'attempt'>): string => `${index}/${attempt}`
