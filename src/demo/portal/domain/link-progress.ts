export type Step = { title: string; state: 'done' | 'current' | 'waiting' }

/** How far each step of a link has come, as Causeway tells it. */
export type Progress = ReadonlyArray<{ step: string; status: string }>

/** The same in words for Acme's user. A step that Acme does not know yet is left out. */
export function stepsOf(progress: Progress, app: string): Step[] {
  const titles: Record<string, string> = {
    consent: 'You gave permission',
    exchange: `${app} confirmed access`,
    connection: 'Connection created',
    function: 'Function created',
    verification: 'Function tested',
  }
  return progress.flatMap(({ step, status }) => {
    const title = titles[step]
    return title === undefined ? [] : [{ title, state: stateOf(status) }]
  })
}

const stateOf = (status: string): Step['state'] => {
  if (status === 'done') return 'done'
  return status === 'waiting' ? 'waiting' : 'current'
}
