'use client'
import { CausewayConnect } from '@causeway/connect/react'
import { useRouter } from 'next/navigation'

export function ConnectButton({ children }) {
  const router = useRouter()
  return (
    <CausewayConnect action="/connect" mode="popup" onLinked={() => router.refresh()}>
      {children}
    </CausewayConnect>
  )
}
