#include "CPeers.h"
