// rtnetlink: what the kernel says about links, addresses and routes. Constants and layouts only, nothing to link.
#include <linux/if_addr.h>
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#include <sys/socket.h>

// From <linux/if.h>, which cannot be included together with the C library's <net/if.h>.
enum {
  TERN_IFF_UP = 0x1,
  TERN_IFF_LOOPBACK = 0x8,
  TERN_IFF_LOWER_UP = 0x10000,
  TERN_IFF_DORMANT = 0x20000,
};
