import { correctAddress, type DoctorFinding, inconclusive, ok, wrong } from './finding.ts'
import { isSilence, type ProbeResult, silenceFinding } from './probe.ts'

export type PublishedEndpoints = Partial<Record<'authorization' | 'token', string>>

export function discoveryFinding(
  asked: ProbeResult,
  published: PublishedEndpoints | undefined,
  configured: PublishedEndpoints,
): DoctorFinding {
  if (isSilence(asked)) return silenceFinding('discovery', asked)
  if (asked.status !== 200 || !published) return inconclusive('discovery', `No metadata: status ${asked.status}.`)
  const moved = (['authorization', 'token'] as const).filter(
    (name) => configured[name] && published[name] && configured[name] !== published[name],
  )
  return moved.length === 0
    ? ok('discovery', 'It names the endpoints that are used.')
    : wrong(
        'discovery',
        'provider_unavailable',
        `It names another ${moved.join(' and ')} endpoint than the profile.`,
        correctAddress,
      )
}

const maxSkewSeconds = 30

export function clockFinding(asked: ProbeResult, now: Date): DoctorFinding {
  if (isSilence(asked)) {
    const words = asked.isUnasked ? 'The app was not asked for the time' : 'No answer that tells the time'
    return inconclusive('clock', `${words}: ${asked.reason}.`)
  }
  if (!asked.date) return inconclusive('clock', 'The app does not tell the time.')
  const seconds = Math.round((now.getTime() - asked.date.getTime()) / 1_000)
  if (Math.abs(seconds) <= maxSkewSeconds) return ok('clock', 'They agree.')
  const words = `This machine says ${timeOf(now)}, the app says ${timeOf(asked.date)}`
  const difference = `this machine is ${Math.abs(seconds)} s ${seconds > 0 ? 'ahead' : 'behind'}`
  return wrong('clock', 'clock_wrong', `${words}: ${difference}.`)
}

const timeOf = (at: Date): string => at.toISOString().replace(/\.\d+Z$/, 'Z')
