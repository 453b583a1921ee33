/** A limit is counted in so many steps. */
const steps = 4

/**
 * Acts when so much time has passed in which this process ran, and gives what takes that back. A plain timer also counts
 * time that the machine had for nobody: it then fires before what arrived meanwhile is read, and before others who stood
 * still with us had a moment to answer. Here such a pause costs two steps at most, and a step always follows it.
 */
export function stallProofTimeout(ms: number, act: () => void): () => void {
  const stepMs = ms / steps
  let left = ms
  let timer: NodeJS.Timeout
  let last: NodeJS.Immediate | undefined
  const step = () => {
    const since = performance.now()
    timer = setTimeout(
      () => {
        const passed = performance.now() - since
        left -= Math.min(passed, 2 * stepMs)
        if (passed > 2 * stepMs) left = Math.max(left, stepMs)
        if (left > 0) step()
        else last = setImmediate(act) // what has arrived by now is read first
      },
      Math.min(stepMs, left),
    )
  }
  step()
  return () => {
    clearTimeout(timer)
    clearImmediate(last)
  }
}
