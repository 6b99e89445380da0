// SPDX-License-Identifier: Apache-2.0
// The crossbar as docs/xbar.md R-XB-1..R-XB-5 says it. A message is known by its number; what it
// carries follows from that.
#ifndef QSM_XBAR_REF_H
#define QSM_XBAR_REF_H

#include <cstdint>
#include <deque>
#include <vector>

struct XbarMessage {
  uint64_t from;  // first cycle in which it is there
  uint32_t number;
  unsigned sm, channel;
};

class XbarRef {
 public:
  XbarRef(unsigned n_sms, unsigned n_channels, unsigned noc_lat, unsigned rsp_lat)
      : ingress(n_sms),
        back(n_sms),
        out(n_channels),
        in(n_channels),
        noc_lat_(noc_lat),
        rsp_lat_(rsp_lat),
        next_sm_(n_channels, 0),
        next_channel_(n_sms, 0) {}

  // SM `sm` sends a request in this cycle.
  void send(uint64_t cycle, unsigned sm, unsigned channel, uint32_t number) {
    ingress[sm].push_back(XbarMessage{cycle + noc_lat_, number, sm, channel});
  }
  bool takes_response(unsigned channel) const { return in[channel].size() < 2; }

  // One cycle: ready[c] of the port; response[c] taken in it (number -1: none) for SM rsp_sm[c].
  void step(uint64_t cycle, const std::vector<bool> &ready, const std::vector<int64_t> &response,
            const std::vector<unsigned> &rsp_sm) {
    const std::vector<int> granted = grants(cycle);
    const std::vector<int> returned = returns();
    for (unsigned i = 0; i < back.size(); i++) {
      while (!back[i].empty() && back[i].front().from <= cycle) back[i].pop_front();
      if (returned[i] < 0) continue;
      const unsigned c = static_cast<unsigned>(returned[i]);
      back[i].push_back(in[c].front());
      back[i].back().from = cycle + noc_lat_ + rsp_lat_;
      in[c].pop_front();
      next_channel_[i] = (c + 1) % static_cast<unsigned>(in.size());
    }
    for (unsigned c = 0; c < out.size(); c++) {
      if (ready[c] && !out[c].empty()) out[c].pop_front();
      if (granted[c] >= 0) {
        const unsigned i = static_cast<unsigned>(granted[c]);
        out[c].push_back(ingress[i].front());
        ingress[i].pop_front();
        next_sm_[c] = (i + 1) % static_cast<unsigned>(ingress.size());
      }
      if (response[c] >= 0)
        in[c].push_back(XbarMessage{cycle + 1, static_cast<uint32_t>(response[c]), rsp_sm[c], c});
    }
  }

  std::vector<std::deque<XbarMessage>> ingress,
      back;  // per SM: waiting requests, responses on their way
  std::vector<std::deque<XbarMessage>> out,
      in;  // per channel: requests at the port, responses taken

 private:
  std::vector<int> grants(uint64_t cycle) const {
    std::vector<int> result(out.size(), -1);
    for (unsigned c = 0; c < out.size(); c++) {
      if (out[c].size() >= 2) continue;
      for (unsigned n = 0; n < ingress.size() && result[c] < 0; n++) {
        const unsigned i = (next_sm_[c] + n) % static_cast<unsigned>(ingress.size());
        const bool there = !ingress[i].empty() && ingress[i].front().from <= cycle;
        if (there && ingress[i].front().channel == c) result[c] = static_cast<int>(i);
      }
    }
    return result;
  }

  std::vector<int> returns() const {
    std::vector<int> result(back.size(), -1);
    for (unsigned i = 0; i < back.size(); i++) {
      for (unsigned n = 0; n < in.size() && result[i] < 0; n++) {
        const unsigned c = (next_channel_[i] + n) % static_cast<unsigned>(in.size());
        if (!in[c].empty() && in[c].front().sm == i) result[i] = static_cast<int>(c);
      }
    }
    return result;
  }

  const unsigned noc_lat_, rsp_lat_;
  std::vector<unsigned> next_sm_, next_channel_;
};

#endif
