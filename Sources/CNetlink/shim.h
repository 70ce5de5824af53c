#if defined(__linux__)
#include <linux/netlink.h>
#include <linux/rtnetlink.h>
#endif
