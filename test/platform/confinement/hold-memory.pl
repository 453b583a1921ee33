# Runs inside a confined command: holds 400 MB in the way its first argument names, and prints how many MB it got.
use strict;
use Fcntl;
use Socket;
use IO::Handle;
use POSIX 'WNOHANG';

my ($way, $arch) = @ARGV;
my $calls = {
  x64   => { read => 0,  write => 1,  mmap => 9,   madvise => 28,  memfd => 319 },
  arm64 => { read => 63, write => 64, mmap => 222, madvise => 233, memfd => 279 },
}->{$arch};
my $mb = 1024 * 1024;
my $wanted = 400;
my $block = 'x' x $mb;
my (@kept, $address);
$address = 0x200000000;
$SIG{XFSZ} = $SIG{PIPE} = 'IGNORE';

sub fill {
  my ($handle) = @_;
  $handle->blocking(0);
  my $sum = 0;
  while (my $length = syswrite $handle, $block, 65536) { $sum += $length }
  return $sum / $mb;
}

sub fillFile {
  my ($path, $most) = @_;
  open my $file, '>', $path or return 0;
  push @kept, $file;
  my $sum = 0;
  while ($sum < $most) { (syswrite $file, $block) == $mb or last; $sum++ }
  return $sum;
}

sub until_enough {
  my ($step) = @_;
  my $sum = 0;
  while ($sum < $wanted) { my $got = $step->() or last; $sum += $got }
  return $sum;
}

sub mapped {
  my ($protection, $flags, $size) = @_;
  return syscall($calls->{mmap}, $address, $size, $protection, $flags | 0x10, -1, 0) != -1;
}

my %ways = (
  private => sub { push @kept, 'x' x (4 * $mb) for 1 .. $wanted / 4; $wanted },
  processes => sub {
    for (1 .. 20) { next if fork; $block = 'x' x (20 * $mb); sleep 30; exit }
    sleep 2;
    my $ended = 0;
    $ended++ while waitpid(-1, WNOHANG) > 0;
    (20 - $ended) * 20;
  },
  memfd => sub {
    my $name = 'held';
    my $number = syscall $calls->{memfd}, $name, 0;
    return 0 if $number < 0;
    open my $file, '>&=', $number;
    push @kept, $file;
    until_enough(sub { (syswrite $file, $block) / $mb });
  },
  'SysV segments' => sub {
    until_enough(sub {
      my $id = shmget 0, 8 * $mb, 0600;
      defined $id && shmwrite($id, 'x' x (8 * $mb), 0, 8 * $mb) ? 8 : 0;
    });
  },
  'SysV messages' => sub {
    until_enough(sub {
      my $id = msgget 0, 0600;
      return 0 unless defined $id;
      my $sum = 0;
      $sum += 8192 while msgsnd $id, pack('l! a*', 1, 'x' x 8192), 04000;
      $sum / $mb;
    });
  },
  'unix sockets' => sub {
    until_enough(sub {
      socketpair my $one, my $other, AF_UNIX, SOCK_STREAM, PF_UNSPEC or return 0;
      push @kept, $one, $other;
      setsockopt $_, SOL_SOCKET, SO_SNDBUF, 8 * $mb for $one, $other;
      fill($one) + fill($other);
    });
  },
  'TCP connections' => sub {
    socket my $server, AF_INET, SOCK_STREAM, 0;
    bind $server, sockaddr_in(0, INADDR_LOOPBACK);
    listen $server, 400;
    until_enough(sub {
      socket my $one, AF_INET, SOCK_STREAM, 0 or return 0;
      connect $one, getsockname $server or return 0;
      accept my $other, $server or return 0;
      push @kept, $one, $other;
      fill($one) + fill($other);
    });
  },
  pipes => sub {
    until_enough(sub {
      pipe my $out, my $in or return 0;
      push @kept, $out, $in;
      fcntl $in, 1031, $mb;
      fill($in);
    });
  },
  'files in memory and private memory' => sub {
    my $sum = fillFile('/tmp/f', 400) + fillFile('/dev/shm/f', 400) + fillFile('/home/user/f', 400);
    $block = 'x' x (90 * $mb);
    $sum + 90;
  },
  'files among devices' => sub { fillFile('/dev/f', $wanted) },
  'empty files' => sub {
    for (1 .. 200_000) { open my $file, '>', "/tmp/$_" or return $_ / 500 }
    $wanted;
  },
  'shared memory that is not mapped' => sub {
    mapped(3, 0x21, $wanted * $mb) or return 0;
    open my $zeros, '<', '/dev/zero';
    for (0 .. $wanted / 4 - 1) {
      syscall $calls->{read}, fileno $zeros, $address + $_ * 4 * $mb, 4 * $mb;
      syscall $calls->{madvise}, $address + $_ * 4 * $mb, 4 * $mb, 4;
    }
    $wanted;
  },
  'page tables' => sub {
    mapped(1, 0x4022, 100_000 * 2 * $mb) or return 0;
    pipe my $out, my $in;
    for (0 .. 99_999) {
      syscall $calls->{write}, fileno $in, $address + $_ * 2 * $mb, 1;
      sysread $out, my $byte, 1;
    }
    $wanted;
  },
);

my $held = $ways{$way}->();
sleep 5 if $held > 0;
printf "%d", $held;
