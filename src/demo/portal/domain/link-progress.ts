export type Step = { title: string; state: 'done' | 'current' | 'waiting' }

/** How many steps lie behind a link in this state. States not listed here are ends and show no steps. */
const stepsDone: Record<string, number> = {
  created: 0,
  authorizing: 0,
  code_waiting: 1,
  exchanging: 1,
  escrowed: 2,
  connection_ready: 3,
  function_ready: 4,
}

export function stepsOf(state: string, app: string): Step[] {
  const done = stepsDone[state] ?? 0
  const titles = [
    'You gave permission',
    `${app} confirmed access`,
    'Connection created',
    'Function created',
    'Function tested',
  ]
  return titles.map((title, position) => ({
    title,
    state: position < done ? 'done' : position === done ? 'current' : 'waiting',
  }))
}
